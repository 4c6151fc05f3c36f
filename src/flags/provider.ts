/** The port of flags. An adapter implements it with a server or a file. */

/** Plan values as JSON, or the name of a plan. */
export interface FlagPayload {
  /** `json` for plan values, `string` for the name of a plan; others have no meaning here. */
  type: string
  value: string
}

/** A variant as a definition declares it. */
export interface VariantDefinition {
  name: string
  /** The share of a variant is its weight among the weights of its siblings. */
  weight: number
  /** The part of the context whose hash chooses the variant, such as `sessionId`; `default` where the definition has none. */
  stickiness: string
  payload: FlagPayload | null
}

/** A flag as its source declares it. */
export interface FlagDefinition {
  key: string
  enabled: boolean
  /** The variants of the flag, and of each strategy that has variants of its own. */
  variantSets: readonly (readonly VariantDefinition[])[]
}

/** Who a flag is evaluated for. */
export interface FlagContext {
  /** Name of the tenant; null without tenants. */
  tenant: string | null
  /** Of the client, else a random one. */
  sessionId: string
}

export interface FlagValue {
  enabled: boolean
  /** Null when the flag has no variants, or is not enabled. */
  variant: { name: string; payload: FlagPayload | null } | null
}

/** The flags of a source as they are now. A change makes a new object. */
export interface FlagSet {
  source: 'unleash' | 'file'
  definitions: ReadonlyMap<string, FlagDefinition>
  /** What the source itself found wrong with flags of stowage, one sentence each. */
  faults: readonly string[]
  /** The value of a flag; null when the source does not have it. */
  evaluate(key: string, context: FlagContext): FlagValue | null
}

/** A source of flags that keeps itself current. */
export interface FlagProvider {
  /** The last known flags; null while there are none. */
  readonly current: FlagSet | null
  /** Ends looking for changes. Never rejects. */
  close(): Promise<void>
}
