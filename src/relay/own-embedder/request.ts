import { z } from 'zod'
import type { Embedder } from '../../core/ports.ts'
import { openAiInputs } from '../read/shapes.ts'
import { decodeTokens } from '../read/token-text.ts'
import { OpenAiError } from './openai-error.ts'

const MOST_INPUTS = 128

const QUERY_TYPES = ['query', 'search_query'] as const
const PASSAGE_TYPES = ['document', 'search_document', 'passage'] as const

const bodySchema = z.object({
  model: z.string().default(''),
  input: openAiInputs,
  encoding_format: z.enum(['float', 'base64']).default('float'),
  dimensions: z.int().nullish(),
  input_type: z.enum([...QUERY_TYPES, ...PASSAGE_TYPES]).nullish(),
})

/** A request for vectors of stowage's own embedder. */
export interface OwnRequest {
  texts: string[]
  /** Null when both sides of a search have the same vectors, and the request does not say which it is. */
  side: 'query' | 'passage' | null
  encoding: 'float' | 'base64'
}

/**
 * Reads the body of a request in OpenAI's shape.
 * @throws OpenAiError 400 that names the field and the value
 */
export function readOwnRequest(json: unknown, embedder: Pick<Embedder, 'dimensions' | 'tellsSidesApart'>): OwnRequest {
  const { data, error } = bodySchema.safeParse(json)
  if (error) {
    const [issue] = error.issues
    const field = issue?.path.join('.') || 'body'
    throw new OpenAiError(400, `${field}: ${field === 'input' ? INPUT_KINDS : issue?.message}`, { param: field })
  }
  const { dimensions, input_type: type = null } = data
  if (dimensions != null && dimensions !== embedder.dimensions) {
    const message = `dimensions: ${dimensions} is not possible; the vectors of this model have ${embedder.dimensions}`
    throw new OpenAiError(400, message, { param: 'dimensions' })
  }
  if (data.input.length === 0 || data.input.length > MOST_INPUTS) {
    throw new OpenAiError(400, `input: has ${data.input.length} texts; 1 to ${MOST_INPUTS} are possible`, {
      param: 'input',
    })
  }
  const side = type === null ? null : QUERY_TYPES.some(known => known === type) ? 'query' : 'passage'
  if (side === null && embedder.tellsSidesApart) {
    const message = 'input_type: must be query or document, because this model encodes the two differently'
    throw new OpenAiError(400, message, { param: 'input_type' })
  }
  return { texts: data.input.map((input, at) => textOf(input, at, data.model)), side, encoding: data.encoding_format }
}

const INPUT_KINDS = 'must be a text, a list of texts, a list of token ids, or a list of such lists'

function textOf(input: string | number[], at: number, model: string): string {
  const text = typeof input === 'string' ? input : decodeTokens(model, input)
  if (text !== null && text !== '') return text
  const problem =
    text === '' ? 'is empty' : `has token ids that are no text in the encoding of the model ${JSON.stringify(model)}`
  throw new OpenAiError(400, `input[${at}]: ${problem}`, { param: 'input' })
}
