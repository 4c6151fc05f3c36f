import { z } from 'zod'
import { RequestFailure } from './failure.ts'

/** A request to `/rerank`, as text-embeddings-inference reads it. Unknown fields are ignored, as there. */
const RerankRequestSchema = z.object({
  query: z.string(),
  texts: z.array(z.string()),
  raw_scores: z.boolean().default(false),
  return_text: z.boolean().default(false),
  truncate: z.boolean().nullish(),
  truncation_direction: z.enum(['left', 'right', 'Left', 'Right']).optional(),
})
type RerankRequest = z.infer<typeof RerankRequestSchema>

/**
 * Reads a body.
 * @param mostTexts in one request
 * @throws RequestFailure 400 when it is not JSON in UTF-8, or has no texts, 413 for too many texts, 422 when a field is wrong or asks for what is not possible
 */
export function readRerankRequest(body: Buffer, mostTexts: number): RerankRequest {
  const { success, data, error } = RerankRequestSchema.safeParse(parse(body))
  if (!success) {
    const [fault] = error.issues
    throw new RequestFailure('Validation', `${fault?.path.join('.') || 'body'}: ${fault?.message}`, 422)
  }
  if (data.texts.length === 0) throw new RequestFailure('Empty', '`texts` cannot be empty')
  if (data.texts.length > mostTexts)
    throw new RequestFailure('Validation', `batch size ${data.texts.length} > maximum allowed batch size ${mostTexts}`)
  if (data.truncate === false)
    throw new RequestFailure('Tokenizer', 'truncate: false is not possible, longer texts are always cut')
  if (data.truncation_direction?.toLowerCase() === 'left')
    throw new RequestFailure('Tokenizer', 'truncation_direction: left is not possible, texts are cut at their end')
  return data
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    // The message of the parser quotes the body, which is the text of a user.
    throw new RequestFailure('Validation', 'the body is not JSON in UTF-8', 400)
  }
}
