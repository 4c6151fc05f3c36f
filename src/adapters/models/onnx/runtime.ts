import { createRequire } from 'node:module'

/** As much of onnxruntime-node as is used here. */
export interface Runtime {
  Tensor: new (type: Tensor['type'], data: TensorData, dims: readonly number[]) => Tensor
  InferenceSession: { create(model: Uint8Array, options: object): Promise<Session> }
}

export interface Session {
  run(feeds: Tensors): Promise<Tensors>
}

export type Tensors = Record<string, Tensor>
export type TensorData = Float32Array | BigInt64Array | Int32Array | Int8Array | Uint8Array

export interface Tensor {
  readonly type: 'float32' | 'int64' | 'int32' | 'int8' | 'uint8'
  readonly dims: readonly number[]
  readonly data: TensorData
}

/** Numbers in a tensor of these dimensions. */
export const sizeOf = (dims: readonly number[]): number => dims.reduce((product, length) => product * length, 1)

/** The runtime that transformers.js uses; it is no dependency of its own, so that there is one copy of it (decision 21). */
export function loadRuntime(): Runtime {
  return createRequire(import.meta.resolve('@xenova/transformers'))('onnxruntime-node') as Runtime
}
