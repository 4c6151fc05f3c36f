import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { describe, expect, it } from 'vitest'
import {
  INT8,
  type OnnxGraph,
  oneNodeOnnx,
  readOnnx,
  TENSOR,
  UINT8,
} from '../../../../src/adapters/models/onnx/graph.ts'
import { hasLongProducts, saturates } from '../../../../src/adapters/models/onnx/integer-products.ts'
import { loadRuntime, type Runtime } from '../../../../src/adapters/models/onnx/runtime.ts'
import { pathInRepository } from '../../../bench/world.ts'

const weight = (type: number, values: number[]) =>
  new BinaryWriter()
    .tag(TENSOR.type, WireType.Varint)
    .int32(type)
    .tag(TENSOR.content, WireType.LengthDelimited)
    .bytes(new Uint8Array(new Int8Array(values).buffer))
    .finish()

/** A graph of one node whose second input is a weight. */
function graphOf(operator: string, type: number, values: number[]): OnnxGraph {
  const graph = readOnnx(oneNodeOnnx(operator, { activations: UINT8, weights: type }, 'sums'))
  return { ...graph, weights: new Map([['weights', weight(type, values)]]) }
}

const shipped = (model: string) =>
  readOnnx(readFileSync(pathInRepository(join('models', model, 'onnx/model_quantized.onnx'))))

describe('products that do not fit into 16 bits', () => {
  it.each([
    ['int8 beyond seven bits', 'MatMulInteger', INT8, [0, 65], true],
    ['negative int8 beyond seven bits', 'MatMulInteger', INT8, [-65, 3], true],
    ['the least int8', 'DynamicQuantizeMatMul', INT8, [-128], true],
    ['int8 of seven bits', 'MatMulInteger', INT8, [64, -64], false],
    ['uint8', 'MatMulInteger', UINT8, [127, -128], false],
    ['int8 that another operator reads', 'Gather', INT8, [127], false],
    ['no values in this file', 'MatMulInteger', INT8, [], false],
  ])('%s', (_, operator, type, values, expected) => {
    expect(hasLongProducts(graphOf(operator, type, values))).toBe(expected)
  })

  it('are in the embedder that ships, and not in the reranker, whose scores they would change', () => {
    expect(hasLongProducts(shipped('all-MiniLM-L6-v2'))).toBe(true)
    expect(hasLongProducts(shipped('stowage-reranker'))).toBe(false)
  })
})

describe('a runtime that saturates', () => {
  const answering = (sum: number): Runtime => ({
    Tensor: loadRuntime().Tensor,
    InferenceSession: {
      create: async () => ({
        outputNames: ['sums'],
        run: async () => ({ sums: { type: 'float32', dims: [1], data: Float32Array.of(sum) } }),
      }),
    },
  })

  it('is told by one wrong sum', async () => {
    expect(await saturates(answering(64 * 255 * 127))).toBe(false)
    expect(await saturates(answering(64 * 32_767 * 0.5))).toBe(true)
  })

  it('is the one of an x64 processor without VNNI, and no other', async ({ skip }) => {
    const file = '/proc/cpuinfo'
    if (process.arch !== 'x64' || !existsSync(file)) skip('nothing says here what the processor has')
    const flags = readFileSync(file, 'utf8')
    expect(await saturates(loadRuntime())).toBe(/\bavx2\b/.test(flags) && !/\bavx(512)?_vnni\b/.test(flags))
  })
})
