import { createServer } from 'node:http'
import { listen } from '../../../support/listen.ts'

const bySession = { rollout: '100', stickiness: 'sessionId', groupId: 'watched' }
const variants = (treatment: object) => [
  { name: 'control', weight: 500, stickiness: 'sessionId' },
  {
    name: 'treatment',
    weight: 500,
    stickiness: 'sessionId',
    payload: { type: 'json', value: JSON.stringify(treatment) },
  },
]
const feature = (name: string, more: object = {}) => ({
  name,
  type: 'release',
  enabled: true,
  stale: false,
  impressionData: false,
  strategies: [{ name: 'flexibleRollout', parameters: bySession, constraints: [], ...more }],
  variants: [],
})

/** A switch, an experiment whose treatment leaves almost everything out, a shadow plan, and a flag that nobody knows. */
const FEATURES = {
  version: 2,
  features: [
    feature('stowage.neighbour-fetch'),
    feature('stowage.experiment.one-chunk', { variants: variants({ maxChunks: 1 }) }),
    feature('stowage.experiment.small', { variants: variants({ 'retrieval.pool': 20 }) }),
    feature('stowage.shadow.caps', {
      variants: variants({ 'packing.documentCap': 1 })
        .slice(1)
        .map(one => ({ ...one, weight: 1000 })),
    }),
    feature('stowage.rerunk'),
  ],
}

/** What clients of Unleash ask for, and nothing else. The tests of `test/services` with a real Unleash show that it is like one. */
export async function startFlagsServer() {
  const server = createServer((request, response) => {
    request.resume()
    const isFeatures = request.method === 'GET' && request.url?.startsWith('/api/client/features')
    response.writeHead(isFeatures ? 200 : 202, { 'content-type': 'application/json' })
    response.end(isFeatures ? JSON.stringify(FEATURES) : undefined)
  })
  const origin = await listen(server)
  return {
    url: `${origin}/api`,
    close: () => {
      server.closeAllConnections()
      return new Promise(resolve => server.close(resolve))
    },
  }
}
