const MOST_SESSIONS = 10_000
const MOST_KEYS = 500

/** Which candidates a session has seen packed, so that the `stable` order can append new ones. Bounded: the oldest session goes first. */
export class SessionMemory {
  private readonly sessions = new Map<string, Set<string>>()

  recall(session: string | null): ReadonlySet<string> {
    return (session === null ? undefined : this.sessions.get(session)) ?? new Set()
  }

  remember(session: string | null, keys: readonly string[]): void {
    if (session === null) return
    const merged = [...new Set([...this.recall(session), ...keys])].slice(-MOST_KEYS)
    this.sessions.delete(session)
    this.sessions.set(session, new Set(merged))
    const oldest = this.sessions.keys().next()
    if (this.sessions.size > MOST_SESSIONS && !oldest.done) this.sessions.delete(oldest.value)
  }
}
