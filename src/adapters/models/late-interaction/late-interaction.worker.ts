import { workerData } from 'node:worker_threads'
import { BoundedCache } from '../../../text/bounded-cache.ts'
import type { ModelSource } from '../model-folder.ts'
import { inTurn, silenceConsole } from '../workers/worker.ts'
import { loadLateInteraction } from './model.ts'
import type { PassageSide } from './passage-side.ts'
import type { Tensors } from './runtime.ts'

/** Passages of one query, each as its text or as what was made of it before. */
export interface ScoreJob {
  query: string
  passages: (string | PassageSide)[]
}

export interface ScoreResult {
  logits: number[]
  /** The sides of the passages that came as texts; null for the others. */
  sides: (PassageSide | null)[]
}

/** Queries whose jobs may take turns at one worker. */
const QUERIES = 16

silenceConsole()
const model = await loadLateInteraction(workerData as ModelSource)
const queries = new BoundedCache<string, Tensors>({ entries: QUERIES })
// A model that cannot run fails at the start, not at the first request.
await score({ query: 'a', passages: ['a'] })

export const details = () => null

export default inTurn(score)

async function score({ query, passages }: ScoreJob): Promise<ScoreResult> {
  const asked = queries.get(query) ?? (await model.encodeQuery(query))
  queries.set(query, asked)
  const result: ScoreResult = { logits: [], sides: [] }
  for (const passage of passages) {
    const side = typeof passage === 'string' ? await model.encodePassage(passage) : passage
    result.logits.push(await model.interact(asked, side))
    result.sides.push(typeof passage === 'string' ? side : null)
  }
  return result
}
