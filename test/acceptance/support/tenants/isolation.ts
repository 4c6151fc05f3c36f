import { createPassthrough } from '../../../../src/http/passthrough/passthrough.ts'
import { createQdrantHttp } from '../../../../src/qdrant/client.ts'
import type { MatchRoute } from '../../../../src/tenants/guard/guarded.ts'
import { ROUTES } from '../../../../src/tenants/guard/routes/table.ts'
import type { Tenant } from '../../../../src/tenants/tenant.ts'
import { guarding, registryOf, testTenant } from '../../../support/guarded-requests.ts'
import type { createStage } from '../../../support/stage.ts'
import { answerLeaky, createLeakyQdrant, isSafeInShared, isSafeInWhole } from './leaky-qdrant.ts'
import { RawConnection, type WireAnswer } from './raw-connection.ts'
import { printRequest, type SentRequest } from './request-arbitrary.ts'
import { CANARIES, CONDITION, openWorld, SHARED } from './world.ts'

const REACHED = new Set([...SHARED, 'current'])

/** Operations that can be allowed to tenants of a shared collection. */
const LISTS = [
  'get_collections',
  'get_collection',
  'collection_exists',
  'get_collections_aliases',
  'get_collection_aliases',
]

/** Acme under keys with different rights. */
function acmeKeys(): Record<string, Tenant> {
  const acme = (over: Partial<Tenant>) =>
    testTenant({ reaches: name => REACHED.has(name), condition: CONDITION, upstreamKey: 'upstream-key', ...over })
  return {
    'acme-plain-0123456789': acme({ allowedOperations: new Set(LISTS) }),
    'acme-strict-0123456789': acme({}),
    'acme-greedy-0123456789': acme({ allowedOperations: new Set(ROUTES.map(({ operation }) => operation)) }),
    'acme-reader-0123456789': acme({ readOnly: true, stamp: null, allowedOperations: new Set(LISTS) }),
  }
}

/** Acme with collections for itself. */
function wholeKeys(): Record<string, Tenant> {
  const acme = { reaches: (name: string) => REACHED.has(name), condition: null, stamp: null }
  return { 'acme-whole-0123456789': testTenant({ ...acme, allowedOperations: new Set(LISTS) }) }
}

/**
 * A stowage between acme and a server with the points of three tenants.
 * @param whole whether acme has collections for itself
 */
export async function openIsolation(stage: ReturnType<typeof createStage>, match: MatchRoute, whole = false) {
  const world = await openWorld(whole)
  const isSafe = whole ? isSafeInWhole : isSafeInShared
  const { server, seen } = createLeakyQdrant(world.shared, isSafe)
  const upstream = await stage.listen(server)
  const tenants = whole ? wholeKeys() : acmeKeys()
  const bravo = testTenant({ name: 'bravo', reaches: () => true, condition: null, stamp: null })
  let matchRoute = match
  const { url } = await stage.serve({
    passthrough: createPassthrough({ upstream: new URL(upstream) }).passthrough,
    health: { ready: async () => ({ ready: true, checks: [] }) },
    ...guarding(registryOf({ ...tenants, 'bravo-key-0123456789abcdef': bravo }), {
      http: createQdrantHttp(upstream),
      matchRoute: (...request) => matchRoute(...request),
    }),
  })
  const connection = new RawConnection(url)
  const counts = { sent: 0, succeeded: new Map<string, number>() }

  /** Sends one request and names what it brought or broke that is not acme's; null for nothing. */
  async function breachOf(request: SentRequest, key: string): Promise<string | null> {
    seen.length = 0
    const before = world.writes()
    const answer = await connection.send(printRequest(request, key), request.method)
    counts.sent++
    const isGood = answer.status >= 200 && answer.status < 300
    if (isGood) counts.succeeded.set(request.operation, (counts.succeeded.get(request.operation) ?? 0) + 1)

    const said = foreignTexts(request, answer, isGood)
    if (said.length > 0) return `the answer holds ${said}: ${answer.bytes.slice(0, 500)}`
    if (seen.some(({ headers }) => headers['api-key'] !== 'upstream-key')) return 'a call without the upstream key'
    const alone = isGood
      ? await answerLeaky(world.alone, isSafe, request.method, urlOf(request), bodyOf(request))
      : null
    if (world.writes() === before) return alone === null ? null : differenceOf(request, answer, alone)
    if (tenants[key]?.readOnly) return 'a reader wrote'
    const damage = world.damage()
    if (damage !== null) return damage
    const drifted = alone?.real && alone.status === 200 ? SHARED.find(name => !equalOwn(name)) : undefined
    world.mirror()
    return drifted === undefined ? null : `own points of ${drifted} are not as they would be alone`
  }

  function equalOwn(name: string): boolean {
    const [one, other] = [world.own(world.shared, name), world.own(world.alone, name)]
    return one.size === other.size && [...one].every(([id, point]) => other.get(id) === point)
  }

  return {
    world,
    counts,
    keys: Object.keys(tenants),
    use(match: MatchRoute) {
      matchRoute = match
    },
    /** Sends requests from a fresh start; names the first breach. */
    async breachIn(requests: readonly SentRequest[], key: string): Promise<string | null> {
      const before = world.writes()
      try {
        for (const request of requests) {
          const breach = await breachOf(request, key)
          if (breach !== null) return `${request.method} ${request.target}: ${breach}`
        }
        return null
      } finally {
        if (world.writes() !== before) world.restore()
      }
    },
    close: () => connection.close(),
  }
}

/** Texts of others in an answer. An error may repeat what the request itself said. */
function foreignTexts(request: SentRequest, { bytes }: WireAnswer, isGood: boolean): string[] {
  const found = [...new Set(bytes.toLowerCase().match(CANARIES))]
  const said = isGood ? '' : `${decoded(request.target)}${request.body ?? ''}`.toLowerCase()
  return found.filter(text => !said.includes(text))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** How an answer differs from that of a server which has the points of acme alone; null for not. */
function differenceOf(
  { method }: SentRequest,
  answer: WireAnswer,
  alone: { status: number; text: string; real: boolean },
) {
  if (!alone.real || method === 'HEAD') return null
  const plain = (text: string) => text.replace(/,"time":[^,}]*\}$/, '').replace(/"version":\d+/g, '"version":0')
  if (alone.status === 200 && plain(alone.text) === plain(answer.body)) return null
  return `alone acme would get ${alone.status} ${alone.text.slice(0, 500)} and not ${answer.body.slice(0, 500)}`
}

function urlOf({ target }: SentRequest): string {
  return target.replace(/#.*/, '')
}

function bodyOf({ body }: SentRequest): string {
  return Buffer.from(body ?? '', 'latin1').toString()
}
