import { z } from 'zod'
import type { Session, SessionMemory, Sessions } from '../../pipeline/session-memory.ts'
import type { SharedValues } from './shared-values.ts'

/** How long a session is kept after its last turn, in milliseconds. */
const TTL_MS = 86_400_000
const sessionSchema = z.object({
  turns: z.int().nonnegative(),
  first: z.array(z.tuple([z.string(), z.int().nonnegative()])),
})

/** Sessions whose turns can be answered by different processes. Of two turns at the same time, one can be forgotten. */
export function createSharedSessions(local: SessionMemory, values: SharedValues): Sessions {
  const keyOf = (session: string) => values.key('sessions', session)
  return {
    async turnsOf(session) {
      if (session === null) return new Map()
      const [shared = null] = (await values.getMany('sessions', [keyOf(session)], readSession)) ?? []
      if (shared !== null && shared.turns > (local.get(session)?.turns ?? 0)) local.set(session, shared)
      return local.turnsOf(session)
    },
    remember(session, keys) {
      local.remember(session, keys)
      const known = session === null ? null : local.get(session)
      if (session === null || known === null) return
      void values.setMany('sessions', [{ key: keyOf(session), value: { ...known, first: [...known.first] } }], TTL_MS)
    },
  }
}

function readSession(json: unknown): Session | null {
  const { success, data } = sessionSchema.safeParse(json)
  return success ? { turns: data.turns, first: new Map(data.first) } : null
}
