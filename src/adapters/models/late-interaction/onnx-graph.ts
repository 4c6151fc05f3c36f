import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'

/**
 * Cuts subgraphs out of an ONNX model. Only names are read; nodes and weights are copied byte for byte. The numbers of the fields are those of onnx.proto.
 */

const MODEL = { graph: 7 }
const GRAPH = { node: 1, name: 2, initializer: 5, input: 11, output: 12 }
const NODE = { input: 1, output: 2, operator: 4, attribute: 5 }
const ATTRIBUTE = { name: 1, integer: 3, type: 20 }
const INTEGER_ATTRIBUTE = 2
const VALUE = { name: 1, type: 2 }
const WEIGHT_NAME = 8
/** Types of elements. */
const FLOAT = 1
const INT8 = 3

interface Node {
  bytes: Uint8Array
  inputs: string[]
  outputs: string[]
}

export interface OnnxGraph {
  /** Fields of the model beside the graph, such as the versions of the operators. */
  header: Field[]
  /** In an order in which each node follows those that it needs. */
  nodes: Node[]
  /** Weights by name. */
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
  const model = fieldsOf(bytes)
  const graph = model.find(({ number }) => number === MODEL.graph)
  if (graph === undefined) throw new Error('the file has no ONNX graph')
  const result: OnnxGraph = {
    header: model.filter(field => field !== graph),
    nodes: [],
    weights: new Map(),
    inputs: new Map(),
  }
  for (const { number, bytes } of fieldsOf(graph.bytes)) {
    if (number === GRAPH.node) {
      result.nodes.push({ bytes, inputs: textsOf(bytes, NODE.input), outputs: textsOf(bytes, NODE.output) })
    } else if (number === GRAPH.initializer) {
      result.weights.set(textsOf(bytes, WEIGHT_NAME)[0] ?? '', bytes)
    } else if (number === GRAPH.input) {
      result.inputs.set(textsOf(bytes, VALUE.name)[0] ?? '', bytes)
    }
  }
  return result
}

/** The inputs that stand for one rounded input of a cut: int8 [1, rows, width] and float32 [rows]. */
export const roundedNames = (name: string) => ({ rounded: `${name} rounded`, scales: `${name} scales` })

/**
 * The smallest model that computes `outputs` from `inputs`, serialized. An input that the whole model does not have is a tensor of float32 of any shape.
 * @param rounded inputs that come as int8 with a scale per row, by the names of `roundedNames`
 * @throws Error when a tensor does not exist, or an output needs an input of the whole model that is not among `inputs`
 */
export function cutOnnx(
  graph: OnnxGraph,
  inputs: readonly string[],
  outputs: readonly string[],
  rounded: readonly string[] = [],
): Uint8Array {
  const producers = new Map(graph.nodes.flatMap(node => node.outputs.map(output => [output, node] as const)))
  for (const name of inputs) {
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
  const cut = new BinaryWriter()
  for (const name of rounded) put(cut, GRAPH.node, restoringNode(name))
  for (const node of graph.nodes) if (needed.has(node)) put(cut, GRAPH.node, node.bytes)
  cut.tag(GRAPH.name, WireType.LengthDelimited).string('cut')
  for (const weight of weights) put(cut, GRAPH.initializer, weight)
  for (const name of inputs) {
    if (!rounded.includes(name)) put(cut, GRAPH.input, graph.inputs.get(name) ?? valueInfo(name, FLOAT))
  }
  for (const name of rounded.map(roundedNames)) {
    put(cut, GRAPH.input, valueInfo(name.rounded, INT8))
    put(cut, GRAPH.input, valueInfo(name.scales, FLOAT))
  }
  for (const name of outputs) put(cut, GRAPH.output, valueInfo(name))
  const model = new BinaryWriter()
  for (const { number, type, bytes } of graph.header) {
    if (type === WireType.LengthDelimited) put(model, number, bytes)
    else model.tag(number, type).raw(bytes)
  }
  put(model, MODEL.graph, cut.finish())
  return model.finish()
}

/** A declaration of a tensor; without a type the runtime infers it. */
function valueInfo(name: string, elementType?: number): Uint8Array {
  const value = new BinaryWriter().tag(VALUE.name, WireType.LengthDelimited).string(name)
  if (elementType === undefined) return value.finish()
  // TypeProto { tensor_type = 1 { elem_type = 1 } }
  value.tag(VALUE.type, WireType.LengthDelimited).fork().tag(1, WireType.LengthDelimited).fork()
  return value.tag(1, WireType.Varint).int32(elementType).join().join().finish()
}

/** DequantizeLinear with a scale per row of [1, rows, width]. */
function restoringNode(name: string): Uint8Array {
  const { rounded, scales } = roundedNames(name)
  const node = new BinaryWriter()
  for (const input of [rounded, scales]) node.tag(NODE.input, WireType.LengthDelimited).string(input)
  node.tag(NODE.output, WireType.LengthDelimited).string(name)
  node.tag(NODE.operator, WireType.LengthDelimited).string('DequantizeLinear')
  node.tag(NODE.attribute, WireType.LengthDelimited).fork()
  node.tag(ATTRIBUTE.name, WireType.LengthDelimited).string('axis').tag(ATTRIBUTE.integer, WireType.Varint).int64(1)
  return node.tag(ATTRIBUTE.type, WireType.Varint).int32(INTEGER_ATTRIBUTE).join().finish()
}

function fieldsOf(bytes: Uint8Array): Field[] {
  const reader = new BinaryReader(bytes)
  const fields: Field[] = []
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag()
    const content = type === WireType.LengthDelimited ? reader.bytes() : reader.skip(type, number)
    fields.push({ number, type, bytes: content })
  }
  return fields
}

function textsOf(message: Uint8Array, number: number): string[] {
  return fieldsOf(message)
    .filter(field => field.number === number && field.type === WireType.LengthDelimited)
    .map(({ bytes }) => new TextDecoder().decode(bytes))
}

function put(writer: BinaryWriter, number: number, bytes: Uint8Array): void {
  writer.tag(number, WireType.LengthDelimited).bytes(bytes)
}
