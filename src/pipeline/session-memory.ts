import { LRUCache } from 'lru-cache'

const MAX_SESSIONS = 10_000
const MAX_KEYS = 500

/** Who packs with memory of earlier turns. */
export interface Sessions {
  /** First turn by candidate key; empty for an unknown session, and for null. Never rejects. */
  turnsOf(session: string | null): ReadonlyMap<string, number> | Promise<ReadonlyMap<string, number>>
  /** Notes the candidates of a turn, by their keys. */
  remember(session: string | null, keys: readonly string[]): void
}

export interface Session {
  turns: number
  /** First turn by candidate key, in the order of the turns. */
  first: ReadonlyMap<string, number>
}

/** The turn in which a session first packed each candidate: the `stable` order appends new candidates after known ones. */
export class SessionMemory implements Sessions {
  private readonly sessions = new LRUCache<string, Session>({ max: MAX_SESSIONS })

  /** First turn by candidate key; empty for an unknown session. */
  turnsOf(session: string | null): ReadonlyMap<string, number> {
    return (session === null ? undefined : this.sessions.get(session)?.first) ?? new Map()
  }

  remember(session: string | null, keys: readonly string[]): void {
    if (session === null) return
    const { turns, first } = this.sessions.get(session) ?? { turns: 0, first: new Map<string, number>() }
    const merged = new Map(first)
    for (const key of keys) if (!merged.has(key)) merged.set(key, turns + 1)
    this.sessions.set(session, { turns: turns + 1, first: new Map([...merged].slice(-MAX_KEYS)) })
  }

  /** What is known of a session; null for an unknown one. */
  get(session: string): Session | null {
    return this.sessions.get(session) ?? null
  }

  /** Takes a session over from another process. */
  set(session: string, known: Session): void {
    this.sessions.set(session, known)
  }
}
