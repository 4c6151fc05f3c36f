import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'

/**
 * Cuts subgraphs out of an ONNX model. Only names are read; nodes and weights are copied byte for byte. The numbers of the fields are those of onnx.proto.
 */

const MODEL = { version: 1, graph: 7, operators: 8 }
const GRAPH = { node: 1, name: 2, initializer: 5, input: 11, output: 12 }
const NODE = { input: 1, output: 2, operator: 4, attribute: 5 }
const ATTRIBUTE = { name: 1, integer: 3, type: 20 }
const INTEGER_ATTRIBUTE = 2
const VALUE = { name: 1, type: 2 }
/** Of a TensorProto: a weight. */
export const TENSOR = { type: 2, name: 8, content: 9, externalData: 13, dataLocation: 14 }
/** Types of elements. */
const FLOAT = 1
export const UINT8 = 2
export const INT8 = 3
const INT32 = 6
const INT64 = 7
/** By the names of the runtime. */
export const ELEMENT_TYPES = { float32: FLOAT, uint8: UINT8, int8: INT8, int32: INT32, int64: INT64 }

interface Node {
  bytes: Uint8Array
  /** As `MatMulInteger`. */
  operator: string
  inputs: string[]
  outputs: string[]
}

export interface OnnxGraph {
  /** The other fields of the model, such as the versions of the operators, serialized. */
  header: Uint8Array
  /** In an order in which each node follows those that it needs. */
  nodes: Node[]
  weights: Map<string, Uint8Array>
  /** Declared inputs of the model by name. */
  inputs: Map<string, Uint8Array>
}

interface Field {
  number: number
  type: WireType
  /** The content of a field with a length, or the raw value of another. */
  bytes: Uint8Array
}

/** Reads a serialized ModelProto. @throws Error when the bytes are no protocol buffer, or have no graph */
export function readOnnx(bytes: Uint8Array): OnnxGraph {
  const header = new BinaryWriter()
  let graph: Uint8Array | null = null
  for (const { number, type, bytes: content } of fieldsOf(bytes)) {
    if (number === MODEL.graph) graph = content
    else copyField(header, { number, type, bytes: content })
  }
  if (graph === null) throw new Error('the file has no ONNX graph')
  const result: OnnxGraph = { header: header.finish(), nodes: [], weights: new Map(), inputs: new Map() }
  for (const { number, bytes } of fieldsOf(graph)) {
    if (number === GRAPH.node) {
      const [operator = ''] = textsOf(bytes, NODE.operator)
      result.nodes.push({
        ...{ bytes, operator },
        inputs: textsOf(bytes, NODE.input),
        outputs: textsOf(bytes, NODE.output),
      })
    } else if (number === GRAPH.initializer) {
      result.weights.set(textsOf(bytes, TENSOR.name)[0] ?? '', bytes)
    } else if (number === GRAPH.input) {
      result.inputs.set(textsOf(bytes, VALUE.name)[0] ?? '', bytes)
    }
  }
  return result
}

/** The inputs that stand for one rounded input of a cut: int8 [rows, width], float32 [rows], and the shape of the whole. */
export const roundedNames = (name: string) => ({
  rounded: `${name} rounded`,
  scales: `${name} scales`,
  shape: `${name} shape`,
})

/** The names of what stands in the place of a tensor that is computed once for each word: its rows, and int32 [passages, tokens], which row each token has. */
export const wordNames = (name: string) => ({
  computed: `${name} computed`,
  rows: `${name} rows`,
  places: `${name} places`,
})

/** How the inputs of a cut come that the whole model does not have. */
interface CutInputs {
  /** Those that come as int8 with a scale for each row, by the names of `roundedNames`. */
  rounded?: readonly string[]
  /** A tensor [passages, tokens, numbers] of the rest. It is computed as [1, words, numbers], and the input `places` of `wordNames` tells which row each token has. */
  byWord?: string | undefined
  /** Types of the elements of the others; float32 unless given. */
  types?: ReadonlyMap<string, number>
}

/**
 * The smallest model that computes `outputs` from `inputs`, serialized. An input that the whole model does not have is a tensor of any shape.
 * @throws Error when a tensor does not exist, or an output needs an input of the whole model that is not among `inputs`
 */
export function cutOnnx(
  graph: OnnxGraph,
  inputs: readonly string[],
  outputs: readonly string[],
  { rounded = [], byWord, types = new Map() }: CutInputs = {},
): Uint8Array {
  const producers = new Map(graph.nodes.flatMap(node => node.outputs.map(output => [output, node] as const)))
  for (const name of byWord === undefined ? inputs : [...inputs, byWord]) {
    if (!producers.has(name) && !graph.inputs.has(name)) throw new Error(`there is no tensor named ${name}`)
  }
  const given = new Set(['', ...inputs])
  const needed = new Set<Node>()
  const weights = new Set<Uint8Array>()
  const open = [...outputs]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const [weight, node] = [graph.weights.get(name), producers.get(name)]
    if (given.has(name) && !outputs.includes(name)) continue
    if (weight !== undefined) weights.add(weight)
    else if (node === undefined) {
      throw new Error(
        graph.inputs.has(name) ? `the cut leaves out the input ${name}` : `there is no tensor named ${name}`,
      )
    } else if (!needed.has(node)) {
      needed.add(node)
      open.push(...node.inputs)
    }
  }
  const content: Uint8Array[] = []
  for (const node of rounded.flatMap(restoringNodes)) put(content, GRAPH.node, node)
  for (const node of graph.nodes) {
    if (!needed.has(node)) continue
    const nodes = byWord !== undefined && node.outputs.includes(byWord) ? nodesByWord(node, byWord) : [node.bytes]
    for (const bytes of nodes) put(content, GRAPH.node, bytes)
  }
  put(content, GRAPH.name, new TextEncoder().encode('cut'))
  for (const weight of weights) put(content, GRAPH.initializer, weight)
  for (const name of inputs) {
    if (!rounded.includes(name))
      put(content, GRAPH.input, graph.inputs.get(name) ?? valueInfo(name, types.get(name) ?? FLOAT))
  }
  for (const name of rounded.map(roundedNames)) {
    put(content, GRAPH.input, valueInfo(name.rounded, INT8))
    put(content, GRAPH.input, valueInfo(name.scales, FLOAT))
    put(content, GRAPH.input, valueInfo(name.shape, INT64))
  }
  if (byWord !== undefined) put(content, GRAPH.input, valueInfo(wordNames(byWord).places, INT32))
  for (const name of outputs) put(content, GRAPH.output, valueInfo(name))
  const length = content.reduce((sum, bytes) => sum + bytes.length, 0)
  const start = new BinaryWriter().raw(graph.header).tag(MODEL.graph, WireType.LengthDelimited).uint32(length)
  return Buffer.concat([start.finish(), ...content])
}

/** A declaration of a tensor; without a type the runtime infers it. */
function valueInfo(name: string, elementType?: number): Uint8Array {
  const value = new BinaryWriter().tag(VALUE.name, WireType.LengthDelimited).string(name)
  if (elementType === undefined) return value.finish()
  // TypeProto { tensor_type = 1 { elem_type = 1 } }
  value.tag(VALUE.type, WireType.LengthDelimited).fork().tag(1, WireType.LengthDelimited).fork()
  return value.tag(1, WireType.Varint).int32(elementType).join().join().finish()
}

/** A serialized model of one node without attributes, in the standard operators of version 13. The inputs are given by name, with the type of their elements. */
export function oneNodeOnnx(operator: string, inputs: Readonly<Record<string, number>>, output: string): Uint8Array {
  const names = Object.keys(inputs)
  const header = new BinaryWriter().tag(MODEL.version, WireType.Varint).int64(8)
  header.tag(MODEL.operators, WireType.LengthDelimited).fork().tag(2, WireType.Varint).int64(13).join()
  const node = { bytes: nodeOf(operator, names, output).finish(), operator, inputs: names, outputs: [output] }
  const declared = names.map(name => [name, valueInfo(name, inputs[name])] as const)
  const graph = { header: header.finish(), nodes: [node], weights: new Map(), inputs: new Map(declared) }
  return cutOnnx(graph, names, [output])
}

function nodeOf(operator: string, inputs: readonly string[], output: string): BinaryWriter {
  const node = new BinaryWriter()
  for (const input of inputs) node.tag(NODE.input, WireType.LengthDelimited).string(input)
  node.tag(NODE.output, WireType.LengthDelimited).string(output)
  return node.tag(NODE.operator, WireType.LengthDelimited).string(operator)
}

/** DequantizeLinear with a scale for each row of a table, and Reshape to the whole. */
function restoringNodes(name: string): Uint8Array[] {
  const { rounded, scales, shape } = roundedNames(name)
  const rows = `${name} rows`
  const restored = withAxis(nodeOf('DequantizeLinear', [rounded, scales], rows), 0)
  return [restored.finish(), nodeOf('Reshape', [rows, shape], name).finish()]
}

/** The node with another name for one output, Flatten to a table of rows, and Gather of the row of each token. */
function nodesByWord({ bytes }: Node, name: string): Uint8Array[] {
  const { computed, rows, places } = wordNames(name)
  const renamed = new BinaryWriter()
  for (const field of fieldsOf(bytes)) {
    const isOutput = field.number === NODE.output && new TextDecoder().decode(field.bytes) === name
    if (isOutput) renamed.tag(NODE.output, field.type).string(computed)
    else copyField(renamed, field)
  }
  const table = withAxis(nodeOf('Flatten', [computed], rows), 2)
  return [renamed.finish(), table.finish(), nodeOf('Gather', [rows, places], name).finish()]
}

function withAxis(node: BinaryWriter, axis: number): BinaryWriter {
  const attribute = node.tag(NODE.attribute, WireType.LengthDelimited).fork()
  attribute.tag(ATTRIBUTE.name, WireType.LengthDelimited).string('axis')
  attribute.tag(ATTRIBUTE.integer, WireType.Varint).int64(axis)
  return attribute.tag(ATTRIBUTE.type, WireType.Varint).int32(INTEGER_ATTRIBUTE).join()
}

/** The type and the values of a weight, as they are stored. No bytes when they are in another file. */
export function readWeight(weight: Uint8Array): { type: number; bytes: Uint8Array } {
  const fields = fieldsOf(weight)
  const find = (number: number) => fields.find(field => field.number === number)?.bytes
  return { type: find(TENSOR.type)?.[0] ?? 0, bytes: find(TENSOR.content) ?? new Uint8Array() }
}

export function fieldsOf(bytes: Uint8Array): Field[] {
  const reader = new BinaryReader(bytes)
  const fields: Field[] = []
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag()
    const content = type === WireType.LengthDelimited ? reader.bytes() : reader.skip(type, number)
    fields.push({ number, type, bytes: content })
  }
  return fields
}

export function copyField(target: BinaryWriter, { number, type, bytes }: Field): void {
  if (type === WireType.LengthDelimited) target.tag(number, type).bytes(bytes)
  else target.tag(number, type).raw(bytes)
}

function textsOf(message: Uint8Array, number: number): string[] {
  return fieldsOf(message)
    .filter(field => field.number === number && field.type === WireType.LengthDelimited)
    .map(({ bytes }) => new TextDecoder().decode(bytes))
}

/** Adds a field. The bytes are copied once, when all are joined: they are megabytes. */
function put(chunks: Uint8Array[], number: number, bytes: Uint8Array): void {
  chunks.push(new BinaryWriter().tag(number, WireType.LengthDelimited).uint32(bytes.length).finish(), bytes)
}
