import { workerData } from 'node:worker_threads'
import type {
  ScoreJob,
  ScoreResult,
} from '../../../../../src/adapters/models/late-interaction/late-interaction.worker.ts'
import { inTurn } from '../../../../../src/adapters/models/workers/worker.ts'

/** A worker that scores without a model: the logit is the length of both texts. It counts the passages that it encoded, in shared memory. */
const encoded = new Int32Array(workerData as SharedArrayBuffer)

export const details = () => null

export default inTurn(async ({ query, passages }: ScoreJob): Promise<ScoreResult> => {
  if (query === 'die') process.exit(3)
  if (query === 'fail') throw new Error('failed on command')
  const result: ScoreResult = { logits: [], sides: [] }
  for (const passage of passages) {
    if (typeof passage === 'string') {
      Atomics.add(encoded, 0, 1)
      // Encoding takes a while, so that other jobs meet it.
      await new Promise(resolve => setTimeout(resolve, 5))
    }
    const side = typeof passage === 'string' ? sideOf(passage) : passage
    result.logits.push(query.length + Buffer.from(side).toString('utf16le').length)
    result.sides.push(typeof passage === 'string' ? side : null)
  }
  return result
})

function sideOf(text: string): SharedArrayBuffer {
  const side = new SharedArrayBuffer(2 * text.length)
  Buffer.from(side).write(text, 'utf16le')
  return side
}
