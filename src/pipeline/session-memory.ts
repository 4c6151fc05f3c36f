const MOST_SESSIONS = 10_000
const MOST_KEYS = 500

interface Session {
  turns: number
  /** First turn by candidate key, oldest first. */
  first: Map<string, number>
}

/** When a session first saw a candidate packed, so that the `stable` order can append what is new. Bounded: the oldest session goes first. */
export class SessionMemory {
  private readonly sessions = new Map<string, Session>()

  /** The turn in which each candidate was first packed, by its key; empty for an unknown session. */
  turnsOf(session: string | null): ReadonlyMap<string, number> {
    return (session === null ? undefined : this.sessions.get(session)?.first) ?? new Map()
  }

  remember(session: string | null, keys: readonly string[]): void {
    if (session === null) return
    const { turns, first } = this.sessions.get(session) ?? { turns: 0, first: new Map<string, number>() }
    const merged = new Map(first)
    for (const key of keys) if (!merged.has(key)) merged.set(key, turns + 1)
    this.sessions.delete(session)
    this.sessions.set(session, { turns: turns + 1, first: new Map([...merged].slice(-MOST_KEYS)) })
    const oldest = this.sessions.keys().next()
    if (this.sessions.size > MOST_SESSIONS && !oldest.done) this.sessions.delete(oldest.value)
  }
}
