import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

export const TINY_CROSS_ENCODER = path('../fixtures/models/tiny-cross-encoder')
export const TINY_EMBEDDER = path('../fixtures/models/tiny-embedder')
export const SHIPPED_RERANKER = path('../../models/stowage-reranker')
export const SHIPPED_EMBEDDER = path('../../models/all-MiniLM-L6-v2')

/** Whether a shipped model is in this clone; when it is not, the log says which tests therefore did not run. */
export function isShipped(folder: string): boolean {
  const present = existsSync(`${folder}/config.json`) && existsSync(`${folder}/onnx`)
  if (!present) console.log(`${folder} is not in this clone: its tests did not run`)
  return present
}

const NEVER = new AbortController().signal
export const noSignal = (): AbortSignal => NEVER
