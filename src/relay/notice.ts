import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { z } from 'zod'
import { getOrInsert } from '../core/collections.ts'
import { BodyCopy, type CopyRoom } from '../http/body/body-copy.ts'
import { decodeBody } from '../http/body/decode-body.ts'
import type { NoticeOutcome } from '../observe/metrics/relay.ts'
import { type QuestionMemory, rememberAll } from './memory/memory.ts'
import { questionsOf } from './read/questions.ts'
import type { EmbeddingShape } from './read/shapes.ts'

interface NoticeOptions {
  memory: QuestionMemory
  /** Texts that the backend puts before its queries. */
  prefixes: readonly string[]
  /** @param count of questions; 1 for a request that is skipped or not readable */
  report(event: { outcome: NoticeOutcome; count: number }): void
}

/** Most bytes of a request, with and without its content coding. Questions are short. */
const MOST_ASKED_BYTES = 256 * 1024
/** Most bytes of an answer, with and without its content coding: 16 vectors of 4,096 numbers as JSON. */
const MOST_ANSWER_BYTES = 2 * 1024 * 1024
/** Most bytes of all copies at a time. */
const MOST_COPIED_BYTES = 64 * 1024 * 1024
/** Longest time that a search waits for answers that are being read, in milliseconds. */
const LONGEST_WAIT_MS = 200

/** Notices the questions in requests to embed, and their vectors in the answers, as both stream by. Nothing of this reaches the client. */
export interface QuestionNotice {
  /** Begins to copy a request, until the response to it ends. The result is to be called with its answer. */
  begin(
    exchange: { request: IncomingMessage; response: ServerResponse },
    scope: string,
    shape: EmbeddingShape,
  ): (answer: IncomingMessage) => void
  /** Waits a moment for the answers of these scopes that are being read; false when there are none. */
  settled(scopes: readonly string[]): Promise<boolean>
}

export function createQuestionNotice({ memory, prefixes, report }: NoticeOptions): QuestionNotice {
  const room: CopyRoom = { free: MOST_COPIED_BYTES }
  const reading = new Map<string, Set<Promise<void>>>()

  async function remember(scope: string, shape: EmbeddingShape, asked: Coded, answered: Coded): Promise<void> {
    const request = shape.request.safeParse(await readJson(asked, MOST_ASKED_BYTES))
    const questions = request.success ? questionsOf(request.data, prefixes) : []
    if (questions.every(question => question === null)) return report({ outcome: 'skipped', count: 1 })
    const vectors = shape.vectors.parse(await readJson(answered, MOST_ANSWER_BYTES))
    if (vectors.length !== questions.length) throw new Error(`${vectors.length} vectors for ${questions.length} inputs`)
    report({ outcome: 'remembered', count: rememberAll(memory, scope, questions, vectors) })
  }

  function read(scope: string, work: Promise<void>): void {
    const running = getOrInsert(reading, scope, () => new Set())
    const guarded = work
      .catch(() => report({ outcome: 'failed', count: 1 }))
      .finally(() => {
        running.delete(guarded)
        if (running.size === 0 && reading.get(scope) === running) reading.delete(scope)
      })
    running.add(guarded)
  }

  return {
    begin({ request, response }, scope, shape) {
      const askedCopy = new BodyCopy(request, undefined, room, MOST_ASKED_BYTES)
      response.once('close', () => askedCopy.release())
      return answer => {
        if (answer.statusCode !== 200) return
        const body = askedCopy.bytes()
        if (body === null) return report({ outcome: 'skipped', count: 1 })
        const asked = { body, coding: request.headers['content-encoding'] }
        const answerCopy = new BodyCopy(answer, undefined, room, MOST_ANSWER_BYTES)
        answer.once('end', () => {
          const bytes = answerCopy.bytes()
          if (bytes === null) return report({ outcome: 'skipped', count: 1 })
          const answered = { body: bytes, coding: answer.headers['content-encoding'] }
          read(scope, remember(scope, shape, asked, answered))
        })
        answer.once('close', () => answerCopy.release())
      }
    },
    async settled(scopes) {
      const running = scopes.flatMap(scope => [...(reading.get(scope) ?? [])])
      if (running.length === 0) return false
      const waited = new AbortController()
      const longest = pause(LONGEST_WAIT_MS, null, { ref: false, signal: waited.signal }).catch(() => null)
      await Promise.race([Promise.all(running), longest]).finally(() => waited.abort())
      return true
    },
  }
}

interface Coded {
  body: Buffer
  coding: string | undefined
}

/** @throws Error when the bytes are no JSON in UTF-8, or too many */
async function readJson({ body, coding = 'identity' }: Coded, maxBytes: number): Promise<z.core.util.JSONType> {
  const decoded = await decodeBody(body, coding, maxBytes)
  if (typeof decoded === 'string') throw new Error(decoded)
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(decoded))
}
