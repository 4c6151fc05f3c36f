import { messageOf } from '../core/errors.ts'
import type { Answer, Question, Topic } from './topics.ts'

/** One end of the channel between the primary and a worker. */
export interface Line {
  /** @throws Error when the other end does not answer within `timeoutMs`, answers with an error, or is gone */
  ask<Name extends Topic>(topic: Name, question: Question<Name>, timeoutMs: number): Promise<Answer<Name>>
  /** Says something that needs no answer. It is lost when the other end is gone, or does not listen for long. */
  tell<Name extends Topic>(topic: Name, message: Question<Name>): void
  /** Answers the questions of the other end, and hears what it tells. There is one handler of a topic. */
  on<Name extends Topic>(topic: Name, handler: Handler<Name>): void
}

/** For a topic without an answer, it returns nothing. */
export type Handler<Name extends Topic> = (
  question: Question<Name>,
) => OrPromise<Answer<Name> extends null ? void : Answer<Name>>
type OrPromise<Value> = Value | Promise<Value>

/** What carries messages: a child process, or the process itself in a child. */
export interface Carrier {
  send?(message: object, done?: (error: Error | null) => void): boolean
  on(event: 'message', listener: (message: unknown) => void): unknown
  once(event: 'disconnect', listener: () => void): unknown
}

interface Message {
  stowage: 'question' | 'answer' | 'error'
  /** Null for what needs no answer. */
  id: number | null
  topic: Topic
  body: unknown
}

/** More messages are not kept for an end that does not read, so that memory is bounded. */
const MOST_UNSENT = 5_000

export function createLine(carrier: Carrier): Line {
  const handlers = new Map<Topic, (question: never) => unknown>()
  /** The latest message of a topic that has no handler yet: a process that starts does not miss what it is told. */
  const unheard = new Map<Topic, Message>()
  const asked = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>()
  let nextId = 0
  let unsent = 0
  let isGone = false

  /** @returns whether the message is on its way */
  function send(message: Message): boolean {
    if (isGone || unsent >= MOST_UNSENT) return false
    unsent++
    try {
      carrier.send?.(message, () => unsent--)
    } catch {
      // The channel has been closed since.
      unsent--
      return false
    }
    return true
  }

  async function answer(message: Message): Promise<void> {
    const { id, topic, body } = message
    try {
      const handler = handlers.get(topic)
      if (handler === undefined && id === null) unheard.set(topic, message)
      if (handler === undefined) throw new Error(`nobody answers ${topic}`)
      const result = await handler(body as never)
      if (id !== null) send({ stowage: 'answer', id, topic, body: result })
    } catch (error) {
      const reason = messageOf(error)
      if (id !== null) send({ stowage: 'error', id, topic, body: reason })
    }
  }

  carrier.on('message', received => {
    if (!isMessage(received)) return
    if (received.stowage === 'question') return void answer(received)
    const waiting = received.id === null ? undefined : asked.get(received.id)
    if (received.stowage === 'answer') waiting?.resolve(received.body)
    else waiting?.reject(new Error(String(received.body)))
  })
  carrier.once('disconnect', () => {
    isGone = true
    for (const { reject } of asked.values()) reject(new Error('the other process is gone'))
  })

  return {
    async ask<Name extends Topic>(topic: Name, question: Question<Name>, timeoutMs: number): Promise<Answer<Name>> {
      const id = nextId++
      let timer: NodeJS.Timeout | undefined
      try {
        return await new Promise<Answer<Name>>((resolve, reject) => {
          asked.set(id, { resolve: body => resolve(body as Answer<Name>), reject })
          timer = setTimeout(() => reject(new Error(`no answer to ${topic} within ${timeoutMs} ms`)), timeoutMs)
          if (!send({ stowage: 'question', id, topic, body: question }))
            reject(new Error('the other process does not listen'))
        })
      } finally {
        clearTimeout(timer)
        asked.delete(id)
      }
    },
    tell(topic, message) {
      send({ stowage: 'question', id: null, topic, body: message })
    },
    on(topic, handler) {
      handlers.set(topic, handler as (question: never) => unknown)
      const message = unheard.get(topic)
      if (unheard.delete(topic) && message !== undefined) void answer(message)
    },
  }
}

function isMessage(message: unknown): message is Message {
  return typeof message === 'object' && message !== null && 'stowage' in message
}
