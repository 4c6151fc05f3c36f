import type { SparseVector } from '../../core/types.ts'
import { type Bm25Options, encodeBm25Document, encodeBm25Query } from '../../text/qdrant-bm25.ts'
import { EngineError, unsupported } from '../errors.ts'
import { type JsonRecord, readNumber, readRecord, readString, refuseAbove } from './shape.ts'

/** UTF-16 units of one text that is encoded. */
export const MAXIMUM_TEXT_LENGTH = 8 * 2 ** 20

/**
 * Encodes `{text, model: "qdrant/bm25", options}`. Qdrant runs this model itself; other models need an inference service.
 * @throws EngineError 500 for other models, 400 for a text that is too long, 501 for options other than k, b, avg_len and language (english, none)
 */
export function inferSparse(document: JsonRecord, use: 'document' | 'query'): SparseVector {
  const model = readString(document.model, 'model')
  if (!['qdrant/bm25', 'bm25'].includes(model.toLowerCase())) {
    throw new EngineError(
      500,
      `Service internal error: no inference service for ${model}, only qdrant/bm25 is built in`,
    )
  }
  const text = readString(document.text, 'text')
  refuseAbove(text.length, MAXIMUM_TEXT_LENGTH, 'text')
  const options = readOptions(readRecord(document.options ?? {}, 'options'))
  return use === 'document' ? encodeBm25Document(text, options) : encodeBm25Query(text, options)
}

function readOptions(given: JsonRecord): Bm25Options {
  const options: Bm25Options = {}
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined) continue
    if (name === 'k' || name === 'b' || name === 'avg_len') options[name] = readNumber(value, name) ?? 0
    else if (name === 'language' && (value === 'english' || value === 'none')) options.language = value
    else throw unsupported(`bm25 option \`${name}\` = ${JSON.stringify(value)}`)
  }
  return options
}
