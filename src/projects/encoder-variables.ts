import type { Project, ProjectEncoder } from './project.ts'

type WithVariables = Pick<Project, 'encoder' | 'context'>

/** A variable that a field of a project stands for; `value` is undefined where the project unsets it. */
interface FieldVariable {
  variable: string
  /** Path of the field in the project: `encoder.model`. */
  field: string
  value: string | undefined
}

/**
 * Variables that the encoder does not set are unset, so that the model of another encoder is not taken. Keys stay as they are.
 */
function encoderVariables(encoder: ProjectEncoder): FieldVariable[] {
  const variables: Readonly<Record<keyof ProjectEncoder, string>> = {
    kind: 'EMBEDDER',
    model: 'EMBEDDING_MODEL',
    dimensions: 'EMBEDDING_DIMENSIONS',
    query_prefix: 'EMBEDDING_QUERY_PREFIX',
    passage_prefix: 'EMBEDDING_PASSAGE_PREFIX',
    base_url: encoder.kind === 'openai' ? 'OPENAI_BASE_URL' : 'EMBEDDING_BASE_URL',
  }
  return Object.entries(variables).map(([field, variable]) => {
    return { variable, field: `encoder.${field}`, value: encoder[field as keyof ProjectEncoder]?.toString() }
  })
}

function fieldVariables({ encoder, context }: WithVariables): FieldVariable[] {
  const prompt = context?.prompt_file
  return [
    ...(encoder === undefined ? [] : encoderVariables(encoder)),
    ...(prompt === undefined ? [] : [{ variable: 'CONTEXT_PROMPT_FILE', field: 'context.prompt_file', value: prompt }]),
  ]
}

/** The variables of a project, for the configuration of a process that works for it. */
export function projectVariables(project: WithVariables): Record<string, string | undefined> {
  return Object.fromEntries(fieldVariables(project).map(({ variable, value }) => [variable, value]))
}

/**
 * A message of a process that works for a project: it names the field of the project, as `handbook.encoder.model`, instead of the variable
 * that the field stands for.
 */
export function withFieldNames(message: string, project: Pick<Project, 'name'> & WithVariables): string {
  const fields = new Map(fieldVariables(project).map(({ variable, field }) => [variable, `${project.name}.${field}`]))
  return message.replace(/\b[A-Z]+(?:_[A-Z]+)*\b/gu, word => fields.get(word) ?? word)
}
