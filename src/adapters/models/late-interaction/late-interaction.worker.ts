import { workerData } from 'node:worker_threads'
import type { ModelSource } from '../model-folder.ts'
import { inTurn, silenceConsole } from '../workers/worker.ts'
import { loadLateInteraction } from './model.ts'
import type { Side } from './side.ts'

/** A query and its passages, or one of both that is only to be encoded; each as its text or as what was made of it before. */
export interface ScoreJob {
  query: string | Side | null
  passages: (string | Side)[]
}

export interface ScoreResult {
  /** Empty without a query. */
  logits: number[]
  /** The side of the query if it came as a text; otherwise null. */
  asked: Side | null
  /** The sides of the passages that came as texts; null for the others. */
  sides: (Side | null)[]
}

silenceConsole()
const model = await loadLateInteraction(workerData as ModelSource)
// A model that cannot run fails at the start, not at the first request.
await score({ query: 'a', passages: ['a'] })

export const details = () => null

export default inTurn(score)

async function score({ query, passages }: ScoreJob): Promise<ScoreResult> {
  const asked = typeof query === 'string' ? await model.encodeQuery(query) : null
  const result: ScoreResult = { logits: [], asked, sides: [] }
  const side = typeof query === 'string' ? asked : query
  const opened = side && model.openQuery(side)
  for (const passage of passages) {
    const side = typeof passage === 'string' ? await model.encodePassage(passage) : passage
    if (opened) result.logits.push(await model.interact(opened, side))
    result.sides.push(typeof passage === 'string' ? side : null)
  }
  return result
}
