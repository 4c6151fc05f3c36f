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
  const { writer } = dependencies
  const failing = new AbortController()
  const either = AbortSignal.any([signal, failing.signal])
  const again: SurveyedDocument[] = []
  const tasks = queueOf(survey.documents, again, dependencies)
  const result: PassResult = { stored: 0, fallbacks: 0, postponed: [], isStopped: false }
  let waiting: WrittenContext[] = []
  let storing: Promise<void> = Promise.resolve()
  const documentOf = new Map<string, SurveyedDocument>()
  const redone = new Set<string>()

  async function store(batch: WrittenContext[]): Promise<void> {
    either.throwIfAborted()
    const { stored, fallbacks, postponed, changed } = await storeContexts(batch, dependencies, either)
    result.stored += stored
    result.fallbacks += fallbacks
    result.postponed.push(...postponed)
    onStored(result.stored)
    for (const key of changed) {
      const document = documentOf.get(key)
      // A point that others keep changing is left to the next pass.
      if (document && !redone.has(key)) again.push({ ...document, left: new Set([key]) })
      redone.add(key)
    }
  }

  function storeWaiting(): Promise<void> {
    const batch = waiting
    waiting = []
    storing = storing.then(() => (batch.length === 0 ? undefined : store(batch)))
    return storing
  }

  async function work(): Promise<void> {
    while (!result.isStopped) {
      either.throwIfAborted()
      const { value: task, done } = await tasks.next()
      if (done) return
      const context = await contextFor(task, dependencies, either)
      if (context === null) {
        result.isStopped = true
        return
      }
      const { id, hash, key, document } = task
      documentOf.set(keyOf(id), document)
      waiting.push({ id, hash, key, document, context })
      if (waiting.length >= BATCH) await storeWaiting()
    }
  }

  const workers = Array.from({ length: Math.max(1, writer.concurrency) }, work).map(worker =>
    worker.catch(error => {
      failing.abort(error)
      throw error
    }),
  )
  const ended = await Promise.allSettled(workers)
  const failure = ended.find(end => end.status === 'rejected')
  await tasks.return(undefined)
  if (failure) {
    await storing.catch(() => {})
    throw signal.aborted ? signal.reason : failing.signal.reason
  }
  await storeWaiting()
  return result
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
