import { z } from 'zod'

/** Which side of a search a text stands on. Models that were trained for search encode the two sides differently. */
export type EmbeddingSide = 'query' | 'passage'

/** A request for vectors, before it has the shape of an API. */
interface EmbeddingRequest {
  model: string
  texts: string[]
  side: EmbeddingSide
  /** Requested length of the vectors; undefined for that of the model. */
  dimensions: number | undefined
}

/** How one API is asked for embeddings, and how it answers. */
interface EmbeddingShape {
  /** Base URL of the provider. */
  baseUrl: string
  /** Path below the base URL. */
  path: string
  /** Model when none is set. */
  model: string
  /** Most texts in one request. */
  batch: number
  /** Whether the request says the side of its texts. If not, prefixes can. */
  hasInputTypes: boolean
  body(request: EmbeddingRequest): object
  /** Reads an answer: the vectors in the order of the texts; undefined where one is missing. */
  vectors: z.ZodType<(number[] | undefined)[]>
}

/** The numbers are checked when the vector is scaled. */
const vector = z.custom<number[]>(Array.isArray)
const vectorsByIndex = z
  .object({ data: z.array(z.object({ index: z.int().nonnegative(), embedding: vector })) })
  .transform(({ data }) => {
    const vectors = new Map(data.map(({ index, embedding }) => [index, embedding]))
    return Array.from({ length: data.length }, (_, at) => vectors.get(at))
  })
const vectorsByType = z
  .object({ embeddings: z.object({ float: z.array(vector) }) })
  .transform(({ embeddings }): (number[] | undefined)[] => embeddings.float)

/**
 * The known APIs. Sources: the API references of OpenAI (`POST /v1/embeddings`), Voyage AI (`POST /v1/embeddings`) and Cohere
 * (`POST /v2/embed`).
 */
export const EMBEDDING_SHAPES = {
  openai: {
    baseUrl: 'https://api.openai.com/v1',
    path: '/embeddings',
    model: 'text-embedding-3-small',
    batch: 128,
    hasInputTypes: false,
    // Not every compatible endpoint supports base64, which the client of OpenAI asks for by default.
    body: ({ model, texts, dimensions }) => ({ model, input: texts, encoding_format: 'float', dimensions }),
    vectors: vectorsByIndex,
  },
  voyage: {
    baseUrl: 'https://api.voyageai.com/v1',
    path: '/embeddings',
    model: 'voyage-4',
    batch: 128,
    hasInputTypes: true,
    body: ({ model, texts, side, dimensions }) => ({
      model,
      input: texts,
      input_type: side === 'query' ? 'query' : 'document',
      output_dimension: dimensions,
    }),
    vectors: vectorsByIndex,
  },
  cohere: {
    baseUrl: 'https://api.cohere.com/v2',
    path: '/embed',
    model: 'embed-v4.0',
    batch: 96,
    hasInputTypes: true,
    body: ({ model, texts, side, dimensions }) => ({
      model,
      texts,
      input_type: side === 'query' ? 'search_query' : 'search_document',
      embedding_types: ['float'],
      output_dimension: dimensions,
    }),
    vectors: vectorsByType,
  },
} as const satisfies Record<string, EmbeddingShape>

export type EmbeddingApi = keyof typeof EMBEDDING_SHAPES
