import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { describe, expect, it } from 'vitest'
import { findModel } from '../../../../src/adapters/models/model-folder.ts'
import {
  INT8,
  type OnnxGraph,
  oneNodeOnnx,
  readOnnx,
  TENSOR,
  UINT8,
} from '../../../../src/adapters/models/onnx/graph.ts'
import { hasLongProducts, hasWrongProducts, saturates } from '../../../../src/adapters/models/onnx/integer-products.ts'
import { loadRuntime, type Runtime } from '../../../../src/adapters/models/onnx/runtime.ts'
import { pathInRepository } from '../../../bench/world.ts'
import { TINY_CROSS_ENCODER } from '../../../support/model-folders.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

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

it('are not claimed of a file that cannot be read', async () => {
  const folder = temporaryFolder('stowage-weights')
  const source = {
    ...(await findModel({ model: TINY_CROSS_ENCODER, variable: 'RERANK_MODEL', allowRemote: false })),
    location: folder,
  }
  expect(await hasWrongProducts(source)).toBe(false)
  mkdirSync(join(folder, 'onnx'))
  writeFileSync(join(folder, 'onnx/model_quantized.onnx'), Buffer.alloc(2_000, 7))
  expect(await hasWrongProducts(source)).toBe(false)
})

describe('a runtime that saturates', () => {
  const answering = (sum: number): Runtime => ({
    Tensor: loadRuntime().Tensor,
    InferenceSession: {
      create: async () => ({
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
