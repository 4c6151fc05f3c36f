import { openLiveCollection } from '../../../../src/adapters/contextualize/live-collection.ts'
import type { ContextWriter } from '../../../../src/contexts/context.ts'
import { recogniseEncoding } from '../../../../src/contextualize/encoding/recognise.ts'
import { createUpsertNotice, type NoticeOptions } from '../../../../src/contextualize/online/notice-upserts.ts'
import {
  createOnlineContexts,
  type LaneName,
  type OnlineOptions,
} from '../../../../src/contextualize/online/online-contexts.ts'
import { openState, type RunState } from '../../../../src/contextualize/state/state-folder.ts'
import { openTenantRules } from '../../../../src/contextualize/tenants.ts'
import type { PointId } from '../../../../src/core/types.ts'
import { createPassthrough } from '../../../../src/http/passthrough/passthrough.ts'
import { createQdrantHttp } from '../../../../src/qdrant/client.ts'
import type { Tenant } from '../../../../src/tenants/tenant.ts'
import type { createStage } from '../../../support/stage.ts'
import { fakeWriter, hashEmbedder, temporaryFolder } from '../../support/live-world.ts'

export interface OnlineWorldOptions extends Partial<OnlineOptions>, Partial<NoticeOptions> {
  /** Null: the project has the rules only. */
  model?: ContextWriter | null
  rules?: ContextWriter
  tenants?: Tenant[]
  /** The server that clients reach; default is the same as the one that contexts are written to. */
  front?: string
}

/** Waiting takes a hundredth of its time. */
const FASTER = 100

/** stowage with the queue of new points before an engine, for the collection `c` and those that begin with `c-`. */
export async function openOnlineWorld(
  stage: ReturnType<typeof createStage>,
  engine: string,
  { model = null, front = engine, tenants, ...options }: OnlineWorldOptions = {},
) {
  const http = createQdrantHttp(engine)
  const rules = options.rules ?? fakeWriter({ model: 'rules', version: 'rules-1', endpoint: null })
  const place = temporaryFolder()
  const states = new Map<string, RunState>()
  const events = { lost: [] as unknown[], paused: [] as unknown[], unread: [] as unknown[], noticed: [] as PointId[][] }
  const isWanted = (name: string) => name === 'c' || name.startsWith('c-')
  const online = createOnlineContexts({
    find: name => (isWanted(name) ? { hasModel: model !== null, mapping: undefined } : null),
    open: async (name: string, lane: LaneName) => {
      const live = openLiveCollection({ http, apiKey: null, collection: name })
      const writer = lane === 'rules' || model === null ? rules : model
      const key = `${name}-${lane}`
      const state = states.get(key) ?? openState(`${place.folder}/${key}`, () => () => {})
      states.set(key, state)
      const embedder = hashEmbedder()
      const { encoding } = await recogniseEncoding(live, embedder, state.former)
      const tenantRules = await openTenantRules(live, tenants ?? null, ({ name }) => name === 'open')
      return { collection: live, writer, rules, embedder, encoding, ...tenantRules, state, budget: null }
    },
    onLost: event => void events.lost.push(event),
    onPaused: event => void events.paused.push(event),
    onQueued: () => {},
    mostPoints: 10_000,
    startTimer: (milliseconds, run) => {
      const timer = setTimeout(run, milliseconds / FASTER)
      return () => clearTimeout(timer)
    },
    now: () => performance.now() * FASTER,
    ...options,
  })
  const noticeUpserts = createUpsertNotice({
    isWanted,
    onWritten: points => {
      events.noticed.push([...points.ids])
      online.offer(points)
    },
    onUnread: event => void events.unread.push(event),
    ...options,
  })
  const { passthrough } = createPassthrough({ upstream: new URL(front) })
  const { url } = await stage.serve({ noticeUpserts, passthrough })
  return {
    url,
    online,
    rules,
    events,
    close: async () => {
      await online.close(60_000)
      for (const state of states.values()) state.close()
      await http.close()
      place.remove()
    },
  }
}
