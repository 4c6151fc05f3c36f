import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { parseArms } from '../../src/evaluation/arms/parse.ts'
import { createReplayDependencies } from '../../src/evaluation/replay/run.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { replayWorld } from '../../src/wiring/replay.ts'
import { NO_MODELS } from '../support/no-models.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let folder = ''
beforeEach(() => {
  folder = temporaryFolder('model')
  mkdirSync(join(folder, 'onnx'))
  writeFileSync(join(folder, 'stowage.json'), '{"model_id":"mine"}')
  writeFileSync(join(folder, 'onnx', 'model.onnx'), 'first')
})

const places = {
  openLive: () => Promise.reject(new Error('not asked')),
  contexts: () => {
    throw new Error('not asked')
  },
  contextualTwins: new Map<string, string>(),
}
const identity = (...folders: string[]) => replayWorld(NO_MODELS, 'gpt-4o', places, folders).stowage?.()

/** Interrupts a replay on a live collection of this server, and returns how many journals there are then. */
function journalsAfter(liveServer: object): number {
  const { openJournal } = createReplayDependencies(replayWorld(NO_MODELS, 'gpt-4o', { ...places, liveServer }))
  const live = { name: 'live', documents: [], queries: [], collection: 'docs', corpusHash: '', hash: 'same golds' }
  const job = { sets: [live], arms: parseArms('topk', NAMED_PLANS), budgets: [500], chunkTokens: 200 }
  openJournal?.({ ...job, cacheFolder: folder, limitQueries: null, onProgress: () => {} }).close(false)
  return readdirSync(join(folder, 'journal')).length
}

describe('what a journal calls the program of a replay', () => {
  it('is another one when the weights of a model change and its name does not', () => {
    const before = identity(folder)
    expect(identity(folder)).toBe(before)
    writeFileSync(join(folder, 'onnx', 'model.onnx'), 'second')
    expect(identity(folder)).not.toBe(before)
  })

  it('is another one when the calibration of a model changes', () => {
    const before = identity(folder)
    writeFileSync(join(folder, 'calibration.json'), '{"temperature":2,"bias":0}')
    expect(identity(folder)).not.toBe(before)
  })

  it('is another one for a collection of one name on another server, or with other fields', () => {
    const url = 'http://one:6333'
    expect(journalsAfter({ url })).toBe(1)
    expect(journalsAfter({ url })).toBe(1)
    expect(journalsAfter({ url: 'http://two:6333' })).toBe(2)
    expect(journalsAfter({ url, mappings: { docs: { text: 'body' } } })).toBe(3)
  })
})
