import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { describe, expect, it } from 'vitest'
import { cutOnnx, readOnnx } from '../../../../src/adapters/models/onnx/graph.ts'
import { leaveWeightsInFile } from '../../../../src/adapters/models/onnx/stored-weights.ts'
import { pathInRepository } from '../../../bench/world.ts'

const NAME = 'model_quantized.onnx'
const file = readFileSync(join(pathInRepository('models/stowage-reranker/onnx'), NAME))
const whole = readOnnx(file)
const stored = leaveWeightsInFile(whole, file, NAME)

/** The fields of a TensorProto with a length by number; several of one number one after the other. */
function fieldsOf(message: Uint8Array): Map<number, Uint8Array[]> {
  const fields = new Map<number, Uint8Array[]>()
  const reader = new BinaryReader(message)
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag()
    const bytes = type === WireType.LengthDelimited ? reader.bytes() : reader.skip(type, number)
    fields.set(number, [...(fields.get(number) ?? []), bytes])
  }
  return fields
}

const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString()

describe('weights that stay in their file', () => {
  it('leave a graph of less than 3 % of its size', () => {
    const outputs = stored.nodes.flatMap(({ outputs }) => outputs).slice(-1)
    expect(cutOnnx(stored, [...stored.inputs.keys()], outputs).length).toBeLessThan(file.length / 33)
  })

  it('are found where the graph says they are, and the others are as they were', () => {
    let left = 0
    for (const [name, weight] of stored.weights) {
      const [before, after] = [fieldsOf(whole.weights.get(name) ?? new Uint8Array()), fieldsOf(weight)]
      const entries = Object.fromEntries(
        (after.get(13) ?? []).map(entry => [text(fieldsOf(entry).get(1)?.[0]), text(fieldsOf(entry).get(2)?.[0])]),
      )
      if (entries.location === undefined) {
        expect(weight).toBe(whole.weights.get(name))
        continue
      }
      left++
      const [offset, length] = [Number(entries.offset), Number(entries.length)]
      expect(entries.location).toBe(NAME)
      expect(file.subarray(offset, offset + length).equals(before.get(9)?.[0] ?? new Uint8Array())).toBe(true)
      for (const field of [1, 2, 8]) expect(after.get(field)?.map(text)).toEqual(before.get(field)?.map(text))
      expect(after.has(9)).toBe(false)
    }
    expect(left).toBeGreaterThan(10)
  })
})
