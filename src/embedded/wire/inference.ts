import type { SparseVector } from '../../core/types.ts'
import { type Bm25Options, encodeBm25Document, encodeBm25Query } from '../../text/qdrant-bm25.ts'
import { EngineError, unsupported } from '../errors.ts'
import { isRecord, type JsonRecord, readNumber, readString } from './shape.ts'

/**
 * Encodes `{text, model: "qdrant/bm25", options}` as Qdrant does by itself; every other model needs an inference service.
 * @throws EngineError 500 for other models, 501 for bm25 options beyond k, b, avg_len and language (english, none).
 */
export function inferSparse(document: JsonRecord, use: 'document' | 'query'): SparseVector {
  const model = readString(document.model, 'model').toLowerCase()
  if (model !== 'qdrant/bm25' && model !== 'bm25') {
    throw new EngineError(
      500,
      'Service internal error: InferenceService URL not configured - please provide valid address in config',
    )
  }
  const text = readString(document.text, 'text')
  const options = readOptions(isRecord(document.options) ? document.options : {})
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
