import { DEGRADATIONS, PASSTHROUGH_REASONS } from '../../core/vocabulary.ts'
import { REPLAY_HEADER } from '../../pipeline/context-request.ts'

/** Qdrant's routes that stowage improves, with the id of their operation in Qdrant's description. */
export const SEARCH_ROUTES = {
  '/collections/{collection_name}/points/query': 'queryPoints',
  '/collections/{collection_name}/points/query/batch': 'queryBatchPoints',
  '/collections/{collection_name}/points/search': 'searchPoints',
  '/collections/{collection_name}/points/search/batch': 'searchBatchPoints',
} as const

const text = (description: string, more: object = {}) => ({ description, schema: { type: 'string', ...more } })
const degradedCodes = [...Object.keys(DEGRADATIONS), ...Object.keys(PASSTHROUGH_REASONS)].map(code => `\`${code}\``)

export const HEADERS = {
  'x-stowage-variant': text('`experiment=variant`, each percent-encoded, when the request is part of an experiment.'),
  'x-stowage-applied': text(
    'The stages that changed the answer, `none`, or `passthrough`. Absent while improving is switched off.',
  ),
  'x-stowage-trace-id': text('Ids for `GET /v1/traces/{id}`, with commas between those of a batch.'),
  'x-stowage-degraded': text(
    `Codes of degradations, or the reason of a passthrough, with commas between them: ${degradedCodes.join(', ')}.`,
  ),
  'retry-after': {
    description: 'Seconds after which to try again.',
    schema: { type: 'integer', minimum: 0 },
  },
} as const

/** Headers of requests. */
export const PARAMETERS = {
  question: {
    name: 'x-stowage-query',
    in: 'header',
    example: 'How%20many%20barges%3F',
    ...text(
      'The question as percent-encoded UTF-8. Without it there is no reranker and no intent, unless the search itself holds a text.',
      { pattern: '^[ -~]*$' },
    ),
  },
  replay: {
    name: REPLAY_HEADER,
    in: 'header',
    ...text('`true`: a measurement. It is part of no experiment, and its trace has the endpoint `replay`.'),
  },
  session: {
    name: 'x-stowage-session',
    in: 'header',
    ...text("Id of the client's session, for flags and experiments. Another value counts as none.", {
      minLength: 1,
      maxLength: 200,
    }),
  },
} as const

export const parameterRef = (name: keyof typeof PARAMETERS) => ({ $ref: `#/components/parameters/${name}` })

export const headerRef = (name: keyof typeof HEADERS) => ({ $ref: `#/components/headers/${name}` })

/** The improved routes: what stowage adds to them. Bodies are Qdrant's. */
export function searchPaths(security: readonly object[]): Record<string, object> {
  const body = { 'application/json': { schema: { type: 'object', description: "Qdrant's own body." } } }
  const added = (['x-stowage-applied', 'x-stowage-trace-id', 'x-stowage-degraded', 'x-stowage-variant'] as const).map(
    name => [name, headerRef(name)],
  )
  const operation = (operationId: string) => ({
    operationId,
    tags: ['search'],
    summary: 'A search of Qdrant, improved when its whole shape is understood.',
    description: 'The answer has the shape that Qdrant answers. What is not understood passes through unchanged.',
    externalDocs: { description: "Qdrant's description", url: 'https://api.qdrant.tech/api-reference/search' },
    parameters: [
      { name: 'collection_name', in: 'path', required: true, ...text('Name of a collection.') },
      ...(['question', 'session'] as const).map(parameterRef),
    ],
    requestBody: { required: true, content: body },
    responses: {
      200: { description: 'OK', headers: Object.fromEntries(added), content: body },
      '4XX': { description: 'What Qdrant refuses, in its own shape.' },
    },
    security,
  })
  return Object.fromEntries(Object.entries(SEARCH_ROUTES).map(([path, id]) => [path, { post: operation(id) }]))
}
