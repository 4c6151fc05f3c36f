/** The tokens of the calls of a language model, as its endpoint counts them. */
export interface TokenUsage {
  /** Tokens of prompts that were read anew, without those in `cacheWritten`. */
  input: number
  /** Tokens of prompts that came from the cache of the endpoint. */
  cached: number
  /** Tokens of prompts that were read anew and put into the cache, where the endpoint says so: some charge more for them. */
  cacheWritten: number
  output: number
}

export const NO_USAGE: TokenUsage = { input: 0, cached: 0, cacheWritten: 0, output: 0 }

/** A document, whole: what a context is written from. */
export interface ContextDocument {
  docId: string
  /** '' when unknown. */
  title: string
  text: string
  /** Language code such as `en`; null when unknown. */
  lang: string | null
}

/** A chunk of a document that needs a context. */
export interface ContextRequest {
  document: ContextDocument
  chunk: {
    /** "A > B > C"; '' when unknown. */
    sectionPath: string
    text: string
    /** Where the text begins in `document.text`, in UTF-16 code units; null when unknown. */
    start: number | null
  }
}

/** The text that says where a chunk stands in its document, and how it came about. */
export interface ChunkContext {
  /** '' when nothing can be said that the chunk and its section path do not say. */
  text: string
  /** From `judgeContext`, in [0,1]. */
  quality: number
  /** `rules`, or the model that wrote it. */
  model: string
  tokens: number
  /** Sum over all calls for this chunk; zero for rules. */
  usage: TokenUsage
  calls: number
  /** Why the context of the rules stands instead of that of the model; null when it does not. */
  fallback: string | null
}

/**
 * Writes the context of one chunk: asks a model, checks what it wrote, and takes the context of the rules when that does not pass. Rejects
 * only when no further chunk can be written either: on an abort, or when the endpoint refuses the key or does not know the model.
 */
export interface ContextWriter {
  /** `rules`, or the name of the model. */
  readonly model: string
  /** Changes with all that changes its contexts: model, prompt, rules. A stored context of another version is written again. */
  readonly version: string
  /** Where texts are sent; null when they stay on this machine. */
  readonly endpoint: string | null
  /** Most requests that are worth sending at a time. */
  readonly concurrency: number
  write(request: ContextRequest, signal: AbortSignal): Promise<ChunkContext>
}

export const WRITER_KINDS = ['rules', 'openai', 'anthropic'] as const
/** Who writes contexts: the rules of the document itself, or a language model. */
export type WriterKind = (typeof WRITER_KINDS)[number]
