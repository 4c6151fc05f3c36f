const UNREAD = 'Passed on unread.'

/** What the embedding relay answers while it is on, by path. All methods of a path go on. The unread ones are there because clients have one base URL. */
export const RELAY_PATHS = {
  '/v1/embeddings': 'Vectors of texts in the shape of OpenAI, also of Voyage AI and Mistral; questions are remembered.',
  '/api/embed': 'Vectors of texts in the shape of Ollama; questions are remembered.',
  '/api/embeddings': 'The vector of a text in the former shape of Ollama; questions are remembered.',
  '/v2/embed': 'Vectors of texts in the shape of Cohere; questions are remembered.',
  '/v1/embed': 'Vectors of texts in the former shape of Cohere; questions are remembered.',
  '/v1/chat/completions': UNREAD,
  '/v1/completions': UNREAD,
  '/v1/responses': UNREAD,
  '/v1/moderations': UNREAD,
  '/v1/models': UNREAD,
  '/v1/models/{id}': UNREAD,
  '/api/chat': UNREAD,
  '/api/generate': UNREAD,
  '/api/show': UNREAD,
  '/api/tags': UNREAD,
  '/api/version': UNREAD,
  '/v1/chat': UNREAD,
  '/v2/chat': UNREAD,
  '/v1/rerank': UNREAD,
  '/v2/rerank': UNREAD,
} as const

/** The same paths as patterns of Express. The name of a model can hold slashes. */
export const RELAY_PATTERNS: readonly string[] = Object.keys(RELAY_PATHS).map(path => path.replace('{id}', '*id'))

/** The path that stowage answers with its own embedder. */
export const OWN_EMBEDDER_PATH = '/v1/embeddings'
