import type { Models } from '../../src/wiring/models.ts'

/** The models of a process that has none. */
export const NO_MODELS: Models = {
  embedder: null,
  reranker: null,
  isWord: () => true,
  unavailable: { embedder: null, reranker: null },
  warnings: [],
  close: async () => {},
}
