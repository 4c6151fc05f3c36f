import type { Project, ProjectEncoder } from './project.ts'

/**
 * The variables of an encoder, for the configuration of a process that uses it. Variables that the encoder does not set are unset, so that
 * the model of another encoder is not taken. Keys stay as they are.
 */
function encoderVariables(encoder: ProjectEncoder): Record<string, string | undefined> {
  const { kind, model, base_url: baseUrl, dimensions, query_prefix: query, passage_prefix: passage } = encoder
  return {
    EMBEDDER: kind,
    EMBEDDING_MODEL: model,
    EMBEDDING_DIMENSIONS: dimensions?.toString(),
    EMBEDDING_QUERY_PREFIX: query,
    EMBEDDING_PASSAGE_PREFIX: passage,
    ...(kind === 'openai' ? { OPENAI_BASE_URL: baseUrl } : { EMBEDDING_BASE_URL: baseUrl }),
  }
}

/** The variables of a project, for the configuration of a process that works for it. */
export function projectVariables({
  encoder,
  context,
}: Pick<Project, 'encoder' | 'context'>): Record<string, string | undefined> {
  return {
    ...(encoder === undefined ? {} : encoderVariables(encoder)),
    ...(context?.prompt_file === undefined ? {} : { CONTEXT_PROMPT_FILE: context.prompt_file }),
  }
}
