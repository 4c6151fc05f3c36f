import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { replayWorld } from '../../src/wiring/replay.ts'
import { NO_MODELS } from '../support/no-models.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'model-'))
  mkdirSync(join(folder, 'onnx'))
  writeFileSync(join(folder, 'stowage.json'), '{"model_id":"mine"}')
  writeFileSync(join(folder, 'onnx', 'model.onnx'), 'first')
})
afterEach(() => rmSync(folder, { recursive: true }))

const places = {
  openLive: () => Promise.reject(new Error('not asked')),
  contexts: () => {
    throw new Error('not asked')
  },
  contextualTwins: new Map<string, string>(),
}
const identity = (...folders: string[]) => replayWorld(NO_MODELS, 'gpt-4o', places, folders).journals?.stowage()

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
})
