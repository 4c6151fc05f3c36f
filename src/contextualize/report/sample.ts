import type { ChunkContext } from '../../contexts/context.ts'
import type { PointId } from '../../core/types.ts'
import { seededRandom } from '../../statistics/seeded-random.ts'
import type { ContextualizeDependencies } from '../dependencies.ts'
import { takeSurvey } from '../documents/survey.ts'
import { type ContextTask, type TaskDependencies, tasksOf } from '../documents/tasks.ts'
import { contextFor } from '../state/context-for.ts'

/** A context beside its chunk, for a person to judge. */
export interface SampledContext {
  id: PointId
  docId: string
  sectionPath: string
  text: string
  context: ChunkContext
}

/** No context has it: points with a context are drawn too. */
const NO_VERSION = ''

/**
 * Writes contexts for some points, drawn by `seed` from all that have a text, and stores nothing in the collection. They are kept in the
 * state, so that a run does not pay for them again. The budget can end the sample early.
 */
export async function sampleContexts(
  dependencies: TaskDependencies & Pick<ContextualizeDependencies, 'state' | 'budget'>,
  { count, seed }: { count: number; seed: number },
  signal: AbortSignal,
): Promise<SampledContext[]> {
  const { collection, partition } = dependencies
  const { documents } = await takeSurvey(collection, NO_VERSION, partition)
  const drawn = draw(
    documents.flatMap(document => [...document.left].map(key => ({ document, key }))),
    { count, seed },
  )
  const found: SampledContext[] = []
  for (const { document, key } of drawn) {
    for await (const task of tasksOf({ ...document, left: new Set([key]) }, dependencies, NO_VERSION)) {
      const context = await contextFor(task, dependencies, signal)
      if (context === null) return found
      found.push(sampled(task, context))
    }
  }
  return found
}

function sampled({ id, request }: ContextTask, context: ChunkContext): SampledContext {
  const { sectionPath, text } = request.chunk
  return { id, docId: request.document.docId, sectionPath, text, context }
}

/** The first of a shuffled list, by Fisher and Yates. */
function draw<Item>(items: readonly Item[], { count, seed }: { count: number; seed: number }): Item[] {
  const random = seededRandom(seed)
  const shuffled = [...items]
  const taken = Math.min(count, shuffled.length)
  for (let at = 0; at < taken; at++) {
    const other = at + Math.floor(random() * (shuffled.length - at))
    const [a, b] = [shuffled[at], shuffled[other]]
    if (a !== undefined && b !== undefined) [shuffled[at], shuffled[other]] = [b, a]
  }
  return shuffled.slice(0, taken)
}
