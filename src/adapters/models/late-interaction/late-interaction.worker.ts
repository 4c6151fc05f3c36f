import { workerData } from 'node:worker_threads'
import type { Span } from '../../../core/types.ts'
import type { ModelSource } from '../model-folder.ts'
import { inTurn, silenceConsole } from '../workers/worker.ts'
import { loadLateInteraction } from './model.ts'
import type { Side } from './side.ts'

/** A query and its passages, or one of both that is only to be encoded; each as its text or as what was made of it before. */
export interface ScoreJob {
  query: string | Side | null
  passages: (string | Side)[]
  /** Given when not the passages are scored, but their parts: the text of each passage, and ranges of it. */
  parts?: { text: string; ranges: readonly Span[] }[]
}

export interface ScoreResult {
  /** Empty without a query, and with parts. */
  logits: number[]
  /** With parts: how well those of each passage match; null for a passage of which this cannot be told. */
  matches: (number[] | null)[]
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

async function score({ query, passages, parts }: ScoreJob): Promise<ScoreResult> {
  const asked = typeof query === 'string' ? await model.encodeQuery(query) : null
  const result: ScoreResult = { logits: [], matches: [], asked, sides: [] }
  const side = typeof query === 'string' ? asked : query
  const opened = side && model.openQuery(side)
  const read: Side[] = []
  for (const [at, passage] of passages.entries()) {
    const side = typeof passage === 'string' ? await model.encodePassage(passage) : passage
    read.push(side)
    const { text, ranges } = parts?.[at] ?? {}
    if (opened && ranges) result.matches.push(model.matchParts(opened, { text: text ?? '', side }, ranges))
    result.sides.push(typeof passage === 'string' ? side : null)
  }
  if (opened && parts === undefined) result.logits = await model.interact(opened, read)
  return result
}
