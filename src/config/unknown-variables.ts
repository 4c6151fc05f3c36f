import { closestName } from '../core/closest-name.ts'
import { PLAN_VALUES } from '../pipeline/plan/plan-values.ts'
import { settingsSchema } from './settings.ts'

const VARIABLES = [...Object.keys(settingsSchema.shape), ...PLAN_VALUES.flatMap(({ variable }) => variable ?? [])]
/** Kubernetes sets these in every pod beside a service called `stowage`. */
const OF_KUBERNETES = /^STOWAGE_(?:SERVICE|PORT)(?:_|$)/u
/** Variables of the SDK of OpenTelemetry whose names are close to those that stowage reads. */
const OF_OPEN_TELEMETRY =
  /^OTEL_(?:(?:METRICS|LOGS)_EXPORTER|EXPORTER_OTLP_(?:(?:TRACES|METRICS|LOGS)_)?(?:ENDPOINT|HEADERS|TIMEOUT|PROTOCOL|COMPRESSION|CERTIFICATE|INSECURE|CLIENT_KEY|CLIENT_CERTIFICATE))$/u
const OUR_PREFIXES = /^(?:STOWAGE|DROPIN|PACKING)_/u
/** Names as short as PORT are too close to the variables of others. */
const SHORTEST_GUESSED = 6
const GUESSED = VARIABLES.filter(variable => variable.length >= SHORTEST_GUESSED)

/** Names with a prefix of stowage, and names that are a slip of the hand away from a variable. */
export function describeUnknown(names: readonly string[]): string[] {
  const isForeign = (name: string) => OF_KUBERNETES.test(name) || OF_OPEN_TELEMETRY.test(name)
  const unknown = names.filter(name => !VARIABLES.includes(name) && !isForeign(name))
  return unknown.flatMap(name => {
    const meant = closestName(name, GUESSED)
    if (meant !== null) return `${name}: stowage has no such variable; did you mean ${meant}?`
    return OUR_PREFIXES.test(name) ? `${name}: stowage has no such variable` : []
  })
}
