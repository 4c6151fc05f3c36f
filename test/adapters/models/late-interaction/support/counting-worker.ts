import { workerData } from 'node:worker_threads'
import type {
  ScoreJob,
  ScoreResult,
} from '../../../../../src/adapters/models/late-interaction/late-interaction.worker.ts'
import { inTurn } from '../../../../../src/adapters/models/workers/worker.ts'

/** A worker that scores without a model: the logit is the length of both texts, and the match of a part that of the query and the part. It counts the passages and the queries that it encoded, in shared memory. */
const encoded = new Int32Array(workerData as SharedArrayBuffer)

export const details = () => null

export default inTurn(async ({ query, passages, parts }: ScoreJob): Promise<ScoreResult> => {
  if (typeof query === 'string') Atomics.add(encoded, 1, 1)
  if (query === 'die') process.exit(3)
  if (query === 'fail' || passages.includes('cannot be read')) throw new Error('failed on command')
  const asked = typeof query === 'string' ? sideOf(query) : query
  const result: ScoreResult = { logits: [], matches: [], asked: typeof query === 'string' ? asked : null, sides: [] }
  for (const [at, passage] of passages.entries()) {
    if (typeof passage === 'string') {
      Atomics.add(encoded, 0, 1)
      // Encoding takes a while, so that other jobs meet it.
      await new Promise(resolve => setTimeout(resolve, 5))
    }
    const side = typeof passage === 'string' ? sideOf(passage) : passage
    const ranges = parts?.[at]?.ranges
    if (asked && ranges) result.matches.push(ranges.map(({ start, end }) => textOf(asked).length + end - start))
    else if (asked) result.logits.push(textOf(asked).length + textOf(side).length)
    result.sides.push(typeof passage === 'string' ? side : null)
  }
  return result
})

/** A side is never empty, as with a model. */
const HEADER_BYTES = 2

const textOf = (side: SharedArrayBuffer) => Buffer.from(side).toString('utf16le', HEADER_BYTES)

function sideOf(text: string): SharedArrayBuffer {
  const side = new SharedArrayBuffer(HEADER_BYTES + 2 * text.length)
  Buffer.from(side).write(text, HEADER_BYTES, 'utf16le')
  return side
}
