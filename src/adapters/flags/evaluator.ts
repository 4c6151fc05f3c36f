import { EventEmitter } from 'node:events'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { Unleash, type UnleashConfig, UnleashEvents } from 'unleash-client'
import type { FlagContext, FlagSet, FlagValue } from '../../flags/provider.ts'
import { definitionOf, type FlagDocument } from './definitions.ts'

type Repository = NonNullable<UnleashConfig['repository']>

/** The server that gets the usage of flags. */
interface UsageTarget {
  url: string
  token: string | null
  instanceId: string
}

interface EvaluatorOptions {
  appName: string
  environment: string
  /** Null reports nothing. */
  usage: UsageTarget | null
}

/**
 * Evaluates flags with unleash-client, so that constraints, rollouts, segments, dependencies and variants mean what they mean in Unleash.
 * What the flags are comes from outside, by `use`: the client itself never reads a server or a disk.
 */
export function createEvaluator({ appName, environment, usage }: EvaluatorOptions) {
  let document: FlagDocument = { features: new Map(), segments: new Map() }
  const repository: Repository = Object.assign(new EventEmitter(), {
    getToggle: (name: string) => document.features.get(name),
    getToggles: () => [...document.features.values()],
    getTogglesWithSegmentData: () => [],
    getSegment: (id: number) => document.segments.get(id),
    start: async () => {},
    stop: () => {},
  })
  const http = new HttpAgent({ keepAlive: true })
  const https = new HttpsAgent({ keepAlive: true })
  const unleash = new Unleash({
    appName,
    environment,
    url: usage?.url ?? 'http://localhost',
    repository,
    disableMetrics: usage === null,
    ...(usage !== null && {
      instanceId: usage.instanceId,
      customHeaders: usage.token === null ? {} : { Authorization: usage.token },
      httpOptions: { agent: ({ protocol }) => (protocol === 'https:' ? https : http) },
    }),
    skipInstanceCountWarning: true,
  })
  // An emitter without such a listener throws, or prints. What was wrong with flags was found when they were read.
  unleash.on(UnleashEvents.Error, () => {})
  repository.emit(UnleashEvents.Ready)

  /** A variant is asked for only where there are any: else Unleash would count a variant `disabled`. */
  function evaluate(key: string, { tenant, sessionId }: FlagContext): FlagValue | null {
    const feature = document.features.get(key)
    if (feature === undefined) return null
    const context = { sessionId, ...(tenant !== null && { userId: tenant, properties: { tenant } }) }
    const hasVariants = feature.variants?.length || feature.strategies?.some(({ variants }) => variants?.length)
    if (!hasVariants) return { enabled: unleash.isEnabled(key, context), variant: null }
    const { featureEnabled, enabled, name, payload = null } = unleash.getVariant(key, context)
    return { enabled: featureEnabled, variant: featureEnabled && enabled ? { name, payload } : null }
  }

  return {
    /** Replaces all flags. */
    use(next: FlagDocument, source: FlagSet['source'], faults: readonly string[]): FlagSet {
      document = next
      const definitions = new Map([...next.features].map(([key, feature]) => [key, definitionOf(feature)]))
      return {
        source,
        definitions,
        faults,
        evaluate: (key, context) => {
          try {
            return evaluate(key, context)
          } catch {
            return null
          }
        },
      }
    },
    /** Ends the reports of usage. Its requests in flight are given up. */
    close(): void {
      unleash.destroy()
      http.destroy()
      https.destroy()
    },
  }
}
