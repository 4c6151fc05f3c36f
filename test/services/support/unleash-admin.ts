const PROJECT = 'default'
const ENVIRONMENT = 'development'

/** A condition on the context of a request, as Unleash writes it. */
export interface Constraint {
  contextName: string
  operator: 'IN' | 'NOT_IN' | 'STR_STARTS_WITH'
  values: readonly string[]
}

/** `weight` is in thousandths; all weights of a flag add up to 1000. Unleash keeps them, but for the first: it gets the rest. */
export interface Variant {
  name: string
  weight: number
  stickiness?: string
  payload?: { type: 'json' | 'string'; value: string }
}

/** Who gets a flag, and which variant. */
export interface Strategy {
  /** Per cent, default 100. */
  rollout?: number
  stickiness?: string
  constraints?: readonly Constraint[]
  variants?: readonly Variant[]
}

export type UnleashAdmin = ReturnType<typeof createUnleashAdmin>

/** The operator that Unleash makes at its first start. */
export const OPERATOR = { username: 'admin', password: 'of-the-tests' }

/** What an operator does in Unleash's user interface, through the same admin API. */
export function createUnleashAdmin(origin: string, token: string) {
  async function call<Answer>(
    method: string,
    path: string,
    body?: unknown,
    credentials: Record<string, string> = { authorization: token },
  ): Promise<Answer> {
    const response = await fetch(`${origin}/api/admin${path}`, {
      method,
      headers: { ...credentials, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as Answer
  }
  const feature = (name: string) => `/projects/${PROJECT}/features/${name}`
  const inEnvironment = (name: string) => `${feature(name)}/environments/${ENVIRONMENT}`
  const asStored = (name: string, { rollout = 100, stickiness = 'default', ...strategy }: Strategy) => ({
    name: 'flexibleRollout',
    parameters: { rollout: String(rollout), stickiness, groupId: name },
    constraints: strategy.constraints ?? [],
    // Unleash divides what is left among all variants of the type `variable`, whatever their weights say.
    variants: (strategy.variants ?? []).map((variant, at) => ({
      weightType: at === 0 ? 'variable' : 'fix',
      stickiness,
      ...variant,
    })),
  })
  const strategies = (name: string) => call<{ id: string }[]>('GET', `${inEnvironment(name)}/strategies`)

  return {
    /** Makes a flag that is off. */
    createFlag: (name: string, type = 'release') =>
      call('POST', `/projects/${PROJECT}/features`, { name, type, impressionData: false }),

    /** Makes this the only strategy of the flag. It is changed in place: Unleash turns a flag off that has lost its last strategy. */
    async setStrategy(name: string, strategy: Strategy): Promise<void> {
      const [first] = await strategies(name)
      const path = `${inEnvironment(name)}/strategies`
      if (first) await call('PUT', `${path}/${first.id}`, asStored(name, strategy))
      else await call('POST', path, asStored(name, strategy))
    },

    turn: (name: string, to: 'on' | 'off') => call('POST', `${inEnvironment(name)}/${to}`),

    /** Deletes the flag. One that is only archived would be left out of an import. */
    async remove(name: string): Promise<void> {
      await call('DELETE', feature(name))
      await call('DELETE', `/archive/${name}`)
    },

    /** Declares a field of the context, so that constraints and stickiness can name it. */
    createContextField: (name: string) => call('POST', '/context', { name, stickiness: true }),

    contextFields: () => call<{ name: string; stickiness: boolean }[]>('GET', '/context'),

    /** Imports a file of flags, as "import" in the user interface does: as a person, because Unleash lets no token do it. */
    async importFlags(data: unknown): Promise<void> {
      const signedIn = await fetch(`${origin}/auth/simple/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(OPERATOR),
      })
      if (!signedIn.ok) throw new Error(`sign in: ${signedIn.status} ${await signedIn.text()}`)
      const cookie = signedIn.headers
        .getSetCookie()
        .map(one => one.split(';')[0])
        .join('; ')
      await call('POST', '/features-batch/import', { project: PROJECT, environment: ENVIRONMENT, data }, { cookie })
    },

    /** The export of these flags. */
    exportFlags: (features: readonly string[]) =>
      call('POST', '/features-batch/export', { features, environment: ENVIRONMENT, downloadFile: false }),

    /** How often clients have asked for the flag, and got yes or no, since the server began to count. */
    async usage(name: string): Promise<{ yes: number; no: number; applications: string[] }> {
      const { lastHourUsage, seenApplications } = await call<{
        lastHourUsage: { environment: string; yes: number; no: number }[]
        seenApplications: string[]
      }>('GET', `/client-metrics/features/${name}`)
      const here = lastHourUsage.filter(({ environment }) => environment === ENVIRONMENT)
      const sum = (of: 'yes' | 'no') => here.reduce((total, usage) => total + usage[of], 0)
      return { yes: sum('yes'), no: sum('no'), applications: seenApplications }
    },

    /** What clients read, as the server gives it with this token of a client. */
    async clientFeatures(clientToken: string): Promise<unknown> {
      const response = await fetch(`${origin}/api/client/features`, { headers: { authorization: clientToken } })
      if (!response.ok) throw new Error(`client features: ${response.status} ${await response.text()}`)
      return response.json()
    },
  }
}
