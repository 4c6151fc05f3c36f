import type { Handler, Line } from './line.ts'
import type { Answer, Forwarded, Question, Topic } from './topics.ts'

/** The other workers, as one of them sees them. All messages go over the primary. */
export interface Peers {
  /** Asks all others. The result has the answers that came within `timeoutMs`; it never rejects. */
  ask<Name extends Topic>(topic: Name, question: Question<Name>, timeoutMs: number): Promise<Answer<Name>[]>
  /** Tells all others. */
  tell<Name extends Topic>(topic: Name, message: Question<Name>): void
  /** Tells the first worker, which has the work that must be done once. */
  tellFirst<Name extends Topic>(topic: Name, message: Question<Name>): void
  /** Answers what others ask, and hears what they tell. */
  on<Name extends Topic>(topic: Name, handler: Handler<Name>): void
}

/** Time for the primary to bring the answers together, in milliseconds. */
const MORE_MS = 200

export function createPeers(line: Line): Peers {
  const envelope = (to: Forwarded['to'], topic: Topic, body: unknown, timeoutMs = 0): Forwarded => ({
    ...{ to, topic, body, timeoutMs },
  })
  return {
    async ask<Name extends Topic>(topic: Name, question: Question<Name>, timeoutMs: number) {
      const forwarded = envelope('others', topic, question, timeoutMs)
      const answers = await line.ask('forward', forwarded, timeoutMs + MORE_MS).catch(() => [])
      return answers as Answer<Name>[]
    },
    tell: (topic, message) => line.tell('forward', envelope('others', topic, message)),
    tellFirst: (topic, message) => line.tell('forward', envelope('first', topic, message)),
    on: (topic, handler) => line.on(topic, handler),
  }
}

/** Brings a message to other workers, in the primary. @returns their answers; none when it needs no answer */
export async function forward({ topic, body, timeoutMs }: Forwarded, receivers: readonly Line[]): Promise<unknown[]> {
  if (timeoutMs === 0) {
    for (const line of receivers) line.tell(topic, body as never)
    return []
  }
  const answers = await Promise.allSettled(receivers.map(line => line.ask(topic, body as never, timeoutMs)))
  return answers.flatMap(answer => (answer.status === 'fulfilled' ? [answer.value as unknown] : []))
}
