import { z } from 'zod'

/** What a request to embed asks for. */
export interface EmbeddingRequest {
  /** '' when the request names none. */
  model: string
  /** Texts, or lists of token ids. */
  inputs: (string | number[])[]
}

/** How one API is asked for vectors, and how it answers. */
export interface EmbeddingShape {
  /** Fails for what does not embed questions: other input types, other kinds of input, other bodies. */
  request: z.ZodType<EmbeddingRequest>
  /** The vectors in the order of the inputs. */
  vectors: z.ZodType<Float32Array[]>
}

const tokens = z.array(z.int().nonnegative()).min(1)
const texts = z.union([z.string().transform(text => [text]), z.array(z.string())])
/** Texts, or token ids, in each form that OpenAI takes. */
export const openAiInputs = z.union([texts, tokens.transform(ids => [ids]), z.array(tokens)])
const model = z.string().default('')
/** What a text is embedded for. Absent: it is not said. */
const forQueries = z.enum(['query', 'search_query', 'retrieval.query']).nullish()

/** Numbers, or the bytes of little-endian float32 values in base64. */
const vector = z.union([
  z.custom<number[]>(Array.isArray).transform(values => Float32Array.from(values)),
  z.base64().transform((text, context) => {
    const bytes = Buffer.from(text, 'base64')
    if (bytes.length % 4 === 0) return new Float32Array(Uint8Array.from(bytes).buffer)
    context.addIssue({ code: 'custom', message: 'is not a list of float32 values' })
    return z.NEVER
  }),
])

const openAi: EmbeddingShape = {
  request: z
    .object({ model, input: openAiInputs, input_type: forQueries, task: forQueries })
    .transform(({ model, input }) => ({ model, inputs: input })),
  vectors: z
    .object({ data: z.array(z.object({ index: z.int().nonnegative().optional(), embedding: vector })) })
    .transform(({ data }) => data.map((one, at) => ({ at: one.index ?? at, vector: one.embedding })))
    .transform(placed => placed.sort((one, other) => one.at - other.at).map(one => one.vector)),
}

const ollama: EmbeddingShape = {
  request: z.object({ model, input: texts }).transform(({ model, input }) => ({ model, inputs: input })),
  vectors: z.object({ embeddings: z.array(vector) }).transform(({ embeddings }) => embeddings),
}

const ollamaLegacy: EmbeddingShape = {
  request: z.object({ model, prompt: z.string() }).transform(({ model, prompt }) => ({ model, inputs: [prompt] })),
  vectors: z.object({ embedding: vector }).transform(({ embedding }) => [embedding]),
}

const byType = z.object({ float: z.array(vector).optional(), base64: z.array(vector).optional() })
const cohere: EmbeddingShape = {
  request: z
    .object({ model, texts: z.array(z.string()), input_type: forQueries })
    .transform(({ model, texts }) => ({ model, inputs: texts })),
  // Other types than these two round the values, and are searched with other vectors.
  vectors: z
    .object({ embeddings: z.union([z.array(vector), byType.transform(({ float, base64 }) => float ?? base64 ?? [])]) })
    .transform(({ embeddings }) => embeddings),
}

/** The paths whose texts are remembered. Sources: the API references of OpenAI, Ollama and Cohere. */
export const EMBEDDING_SHAPES: Readonly<Record<string, EmbeddingShape>> = {
  '/v1/embeddings': openAi,
  '/api/embed': ollama,
  '/api/embeddings': ollamaLegacy,
  '/v1/embed': cohere,
  '/v2/embed': cohere,
}
