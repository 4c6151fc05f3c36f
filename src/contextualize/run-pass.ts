import type { ContextualizeDependencies } from './dependencies.ts'
import { keyOf, type Survey, type SurveyedDocument } from './documents/survey.ts'
import { type ContextTask, tasksOf } from './documents/tasks.ts'
import { contextFor } from './state/context-for.ts'
import { type StoredBatch, storeContexts, type WrittenContext } from './store-contexts.ts'

/** Points of one write, and contexts between two checkpoints. */
const BATCH = 100

interface PassResult extends Pick<StoredBatch, 'stored' | 'fallbacks' | 'postponed'> {
  /** Whether the budget ended the pass. */
  isStopped: boolean
}

/**
 * Writes the contexts that a survey found missing. Documents follow one another, so that the prompt cache of an endpoint has the document;
 * as many requests as the writer allows are in flight. A failure ends the pass; contexts that have arrived by then are in the state.
 */
export async function runPass(
  survey: Survey,
  dependencies: ContextualizeDependencies,
  onStored: (stored: number) => void,
  signal: AbortSignal,
): Promise<PassResult> {
  return new Pass(dependencies, onStored, signal).run(survey.documents)
}

class Pass {
  readonly #dependencies: ContextualizeDependencies
  readonly #onStored: (stored: number) => void
  readonly #aborted: AbortSignal
  readonly #failing = new AbortController()
  /** Aborted by the caller, or by the failure of a worker. */
  readonly #ended: AbortSignal
  readonly #result: PassResult = { stored: 0, fallbacks: 0, postponed: [], isStopped: false }
  readonly #documentOf = new Map<string, SurveyedDocument>()
  /** Documents with one point that was changed while its context was written. */
  readonly #again: SurveyedDocument[] = []
  readonly #redone = new Set<string>()
  #waiting: WrittenContext[] = []
  #storing: Promise<void> = Promise.resolve()

  constructor(dependencies: ContextualizeDependencies, onStored: (stored: number) => void, signal: AbortSignal) {
    this.#dependencies = dependencies
    this.#onStored = onStored
    this.#aborted = signal
    this.#ended = AbortSignal.any([signal, this.#failing.signal])
  }

  async run(documents: readonly SurveyedDocument[]): Promise<PassResult> {
    const tasks = queueOf(documents, this.#again, this.#dependencies)
    const { concurrency } = this.#dependencies.writer
    const workers = Array.from({ length: Math.max(1, concurrency) }, () => this.#workOrFail(tasks))
    const ends = await Promise.allSettled(workers)
    await tasks.return(undefined)
    if (ends.some(({ status }) => status === 'rejected')) {
      await this.#storing.catch(() => {})
      throw this.#aborted.aborted ? this.#aborted.reason : this.#failing.signal.reason
    }
    await this.#storeWaiting()
    return this.#result
  }

  /** The failure of one worker ends the others. */
  async #workOrFail(tasks: AsyncGenerator<ContextTask, undefined>): Promise<void> {
    try {
      await this.#work(tasks)
    } catch (error) {
      this.#failing.abort(error)
      throw error
    }
  }

  async #work(tasks: AsyncGenerator<ContextTask, undefined>): Promise<void> {
    while (!this.#result.isStopped) {
      this.#ended.throwIfAborted()
      const { value: task, done } = await tasks.next()
      if (done) return
      const context = await contextFor(task, this.#dependencies, this.#ended)
      if (context === null) {
        this.#result.isStopped = true
        return
      }
      const { id, hash, key, document } = task
      this.#documentOf.set(keyOf(id), document)
      this.#waiting.push({ id, hash, key, document, context })
      if (this.#waiting.length >= BATCH) await this.#storeWaiting()
    }
  }

  /** One write after the other. */
  #storeWaiting(): Promise<void> {
    const batch = this.#waiting
    this.#waiting = []
    this.#storing = this.#storing.then(() => (batch.length === 0 ? undefined : this.#store(batch)))
    return this.#storing
  }

  async #store(batch: WrittenContext[]): Promise<void> {
    this.#ended.throwIfAborted()
    const { stored, fallbacks, postponed, changed } = await storeContexts(batch, this.#dependencies, this.#ended)
    const result = this.#result
    result.stored += stored
    result.fallbacks += fallbacks
    result.postponed.push(...postponed)
    this.#onStored(result.stored)
    for (const key of changed) this.#queueAgain(key)
  }

  /** A point that others keep changing is left to the next pass. */
  #queueAgain(key: string): void {
    const document = this.#documentOf.get(key)
    if (document && !this.#redone.has(key)) this.#again.push({ ...document, left: new Set([key]) })
    this.#redone.add(key)
  }
}

async function* queueOf(
  documents: readonly SurveyedDocument[],
  again: SurveyedDocument[],
  dependencies: ContextualizeDependencies,
): AsyncGenerator<ContextTask, undefined> {
  for (const document of documents) {
    if (document.left.size > 0) yield* tasksOf(document, dependencies)
    for (let next = again.shift(); next !== undefined; next = again.shift()) yield* tasksOf(next, dependencies)
  }
}
