import { type Reply, startRecordingServer } from '../../../support/recording-server.ts'

/** A flag as the client API of Unleash answers it. */
export interface FakeFeature {
  name: string
  enabled: boolean
  strategies?: unknown[]
  variants?: unknown[]
}

/** A constraint on the tenant of the request. */
export const forTenants = (...values: string[]) => ({
  name: 'flexibleRollout',
  parameters: { rollout: '100', stickiness: 'default', groupId: 'g' },
  constraints: [{ contextName: 'tenant', operator: 'IN', values, inverted: false, caseInsensitive: false }],
  variants: [],
})

export const always = { name: 'default', parameters: {}, constraints: [], variants: [] }

/** An Unleash server as clients see it: a test sets what it answers. */
export async function startFakeUnleash(features: FakeFeature[]) {
  const state: { features: FakeFeature[]; reply: (() => Reply) | null; version: number } = {
    features,
    reply: null,
    version: 0,
  }
  /** Who waits for the next request of flags to be answered. */
  let waiting: (() => void)[] = []
  const server = await startRecordingServer(({ path, headers }) => {
    if (path !== '/api/client/features') return { status: 202, body: '' }
    setImmediate(() => {
      for (const wake of waiting.splice(0)) wake()
    })
    if (state.reply !== null) return state.reply()
    const etag = `"${state.version}"`
    if (headers['if-none-match'] === etag) return { status: 304, body: '' }
    const body = JSON.stringify({ version: 2, features: state.features })
    return { body, headers: { 'content-type': 'application/json', etag } }
  })
  return {
    url: `${server.url}/api`,
    requests: server.requests,
    /** Answers these flags from now on. */
    set(next: FakeFeature[]) {
      state.features = next
      state.version++
      state.reply = null
    },
    /** Answers this instead of flags. */
    fail(reply: () => Reply) {
      state.reply = reply
    },
    asked: () => new Promise<void>(resolve => waiting.push(resolve)),
    close: () => {
      waiting = []
      return server.close()
    },
  }
}
