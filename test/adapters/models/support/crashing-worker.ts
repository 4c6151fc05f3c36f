import { resourceLimits, threadId, workerData } from 'node:worker_threads'
import { inTurn } from '../../../../src/adapters/models/workers/worker.ts'

/** A worker for tests: echoes text, and does on command what real workers do at their worst. */
if (workerData === 'refuse') throw new Error('refused to start')
if (workerData instanceof Int32Array) {
  // The first worker refuses at once, also when its module is read again. Another one is still loading then, and says when it is ready.
  if ([0, threadId].includes(Atomics.compareExchange(workerData, 0, 0, threadId))) throw new Error('refused to start')
  await new Promise(resolve => setTimeout(resolve, 200))
  Atomics.store(workerData, 1, 1)
}

export const details = () => 'details'

export default inTurn(async (job: string) => {
  if (job === 'die') process.exit(3)
  if (job === 'throw') throw new Error('thrown on command')
  // A job that takes a while: what the pool does meanwhile is what the tests look at.
  if (job === 'slow') await new Promise(resolve => setTimeout(resolve, 20))
  if (job === 'limits') return JSON.stringify(resourceLimits)
  if (job === 'hang') await new Promise(() => setInterval(() => undefined, 1_000))
  return `${job}!`
})
