import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createReadAhead } from '../../../../../src/adapters/models/late-interaction/folder/read-ahead.ts'
import { openSideFolder } from '../../../../../src/adapters/models/late-interaction/folder/side-folder.ts'
import type {
  ScoreJob,
  ScoreResult,
} from '../../../../../src/adapters/models/late-interaction/late-interaction.worker.ts'
import { createWorkerPool, type WorkerPool } from '../../../../../src/adapters/models/workers/pool.ts'
import { workerModule } from '../../../../../src/core/work/worker-module.ts'
import { contentHash } from '../../../../../src/text/fingerprint.ts'
import { noSignal } from '../../../../support/model-folders.ts'
import { temporaryFolder } from '../../../../support/temporary-folder.ts'
import { MODEL_MS } from '../../../../support/timeouts.ts'

vi.setConfig({ testTimeout: MODEL_MS, hookTimeout: MODEL_MS })

const MODEL = 'a'.repeat(16)
const memory = new SharedArrayBuffer(8)
const encoded = () => Atomics.load(new Int32Array(memory), 0)
let pool: WorkerPool<ScoreJob, ScoreResult, null>
let path: string
beforeAll(async () => {
  pool = await createWorkerPool({
    script: workerModule('../support/counting-worker', import.meta.url),
    data: memory,
    size: 2,
  })
})
afterAll(() => pool.close())
beforeEach(() => {
  path = temporaryFolder('stowage-ahead')
  new Int32Array(memory).fill(0)
})

async function open(maxBytes = 1e9) {
  const folder = await openSideFolder({ path, modelKey: MODEL, maxBytes, onFault: () => {} })
  return { folder, warm: createReadAhead(pool, folder, 512) }
}
const passages = Array.from({ length: 40 }, (_, at) => `passage ${at}`)

describe('reading ahead', () => {
  it('encodes each passage that has no file once', async () => {
    const { warm } = await open()
    expect(await warm([], noSignal())).toEqual({ known: 0, read: 0, deleted: 0 })
    expect(await warm([...passages, ...passages], noSignal())).toEqual({ known: 0, read: 40, deleted: 0 })
    const later = await open()
    expect(await later.warm(['new', ...passages], noSignal())).toEqual({ known: 40, read: 1, deleted: 0 })
    expect(encoded()).toBe(41)
  })

  it('keeps what was read before an abort, and says that it was aborted', async () => {
    const { folder, warm } = await open()
    const controller = new AbortController()
    const aborted = warm(passages, controller.signal)
    await vi.waitUntil(() => encoded() > 4)
    controller.abort()
    await expect(aborted).rejects.toThrow('aborted')
    const kept = (await Promise.all(passages.map(passage => folder.has(contentHash(passage))))).filter(Boolean).length
    expect(kept).toBeGreaterThan(2)
    expect(await warm(passages, noSignal())).toEqual({ known: kept, read: 40 - kept, deleted: 0 })
  })

  it('says how many files went when the folder is too small', async () => {
    const { warm } = await open(500)
    const { read, deleted } = await warm(passages, noSignal())
    expect(read).toBe(40)
    expect(deleted).toBeGreaterThan(20)
  })

  it('fails with the reason when a passage cannot be read or written', async () => {
    const { warm } = await open()
    await expect(warm(['fine', 'cannot be read'], noSignal())).rejects.toThrow(
      '1 of 2 passages could not be read: failed on command',
    )
    for (const passage of passages) writeFileSync(join(path, MODEL, contentHash(passage).slice(0, 2)), '')
    await expect(warm(passages, noSignal())).rejects.toThrow(/the folder cannot be written: E\w+/u)
  })
})
