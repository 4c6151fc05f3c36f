import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { copyField, fieldsOf, INT8, type OnnxGraph, readWeight, TENSOR, UINT8 } from './graph.ts'

const ENTRY = { key: 1, value: 2 }
const EXTERNAL = 1
/** They need no alignment. */
const BYTE_TYPES = [UINT8, INT8]
/** Shorter weights stay in the graph: they are few bytes together, and some are read when a session is made. */
const SHORTEST = 4_096

/**
 * Replaces the long weights of a graph by their place in the file that it was read from. The runtime then reads them there: each session of each thread would
 * otherwise hold copies of all of them while it is made, and that memory does not come back.
 * @param bytes of the file, of which the weights of the graph are parts
 * @param name of the file in the folder that the session is told
 */
export function leaveWeightsInFile(graph: OnnxGraph, bytes: Uint8Array, name: string): OnnxGraph {
  const weights = [...graph.weights].map(([key, weight]) => [key, inFile(weight, bytes, name)] as const)
  return { ...graph, weights: new Map(weights) }
}

function inFile(weight: Uint8Array, file: Uint8Array, name: string): Uint8Array {
  const { type, bytes: content } = readWeight(weight)
  if (content.length < SHORTEST || !BYTE_TYPES.includes(type)) return weight
  const kept = new BinaryWriter()
  for (const field of fieldsOf(weight)) if (field.number !== TENSOR.content) copyField(kept, field)
  const place = { location: name, offset: content.byteOffset - file.byteOffset, length: content.length }
  for (const [key, value] of Object.entries(place)) {
    kept.tag(TENSOR.externalData, WireType.LengthDelimited).fork()
    kept.tag(ENTRY.key, WireType.LengthDelimited).string(key)
    kept.tag(ENTRY.value, WireType.LengthDelimited).string(String(value)).join()
  }
  return kept.tag(TENSOR.dataLocation, WireType.Varint).int32(EXTERNAL).finish()
}
