import cluster from 'node:cluster'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { setUpWorkers, startWorkerProcess } from '../../src/cluster/worker-process.ts'
import { deferred } from '../support/deferred.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const script = join(temporaryFolder('stowage-worker'), 'worker.mjs')
writeFileSync(script, 'setInterval(() => {}, 1_000); process.send({})')
setUpWorkers(pathToFileURL(script))

it('ends a worker that does not listen yet at once when it is to stop', async () => {
  const worker = startWorkerProcess()
  const neverListened = expect(worker.listening).rejects.toThrow('SIGKILL')
  worker.stop(60_000)
  await neverListened
  expect(await worker.ended).toEqual({ code: null, signal: 'SIGKILL', reason: null })
})

it('does not end the primary when Node writes to a worker that has just been killed', async () => {
  const worker = startWorkerProcess()
  const neverListened = expect(worker.listening).rejects.toThrow('SIGKILL')
  const started = deferred<void>()
  worker.onMessage(started.resolve)
  await started.promise
  worker.kill()
  // Until it has ended. Nothing else runs meanwhile, so the primary does not know it yet.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
  const inNode = Object.values(cluster.workers ?? {}).find(one => one?.process.pid === worker.pid)
  inNode?.process.send({ act: 'as Node itself does' })
  await neverListened
  expect(await worker.ended).toEqual({ code: null, signal: 'SIGKILL', reason: null })
})
