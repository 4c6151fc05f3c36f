import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type LateInteraction, type ModelSource, WEIGHTS } from '../model-folder.ts'
import { cutOnnx, ELEMENT_TYPES, readOnnx } from '../onnx/graph.ts'
import type { Runtime, Session, Tensors } from '../onnx/runtime.ts'
import { leaveWeightsInFile } from '../onnx/stored-weights.ts'
import type { ModelInput } from '../pair-assembly.ts'
import { type TokenAxes, tokenAxes } from './batch.ts'
import { isLong } from './side.ts'

export const IDS = 'input_ids'
const INPUTS = [IDS, 'attention_mask', 'token_type_ids']
export const LOGITS = 'logits'

type Slot = 'query' | 'passage'

/** The two parts of a graph, and what is to be known of the tensors between them. */
export interface OpenedCut {
  /** Inputs of the model for one text to its tensors of the cut. */
  encode(slot: Slot, inputs: Tensors): Promise<Tensors>
  /** The tensors of the cut, of both texts, to the logits. */
  interaction: Session
  /** The tensors of a passage that the interaction takes rounded. */
  long: string[]
  /** The tensor that the interaction computes once for each word; null: none. */
  byWord: string | null
  /** Of the tensors of a passage. */
  axes: TokenAxes
}

/** Cuts the graph. The long weights, more than 20 MB, stay in their file, and nothing that lives on may refer to the bytes that were read from it. */
export async function openCut(source: ModelSource, cut: LateInteraction, runtime: Runtime): Promise<OpenedCut> {
  const folder = join(source.location, 'onnx')
  const name = WEIGHTS[source.dtype]
  const file = await readFile(join(folder, name))
  const graph = leaveWeightsInFile(readOnnx(file), file, name)
  const open = (enableCpuMemArena: boolean, model: Uint8Array) =>
    // One thread, because the pool has a worker per core. Errors are thrown, so only severity 4 is printed.
    runtime.InferenceSession.create(model, {
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      logSeverityLevel: 4,
      enableCpuMemArena,
      extra: { session: { model_external_initializers_file_folder_path: folder } },
    })
  const computed = [...cut.query, ...cut.passage].filter(name => !INPUTS.includes(name))
  // An arena never gives back what the longest passage took: 15 MB a worker. Reading a passage takes about 1 % longer without it.
  const encoder = await open(false, cutOnnx(graph, INPUTS, computed))
  const encode = async (slot: Slot, inputs: Tensors): Promise<Tensors> => {
    const tensors = Object.entries({ ...inputs, ...(await encoder.run(inputs)) })
    return Object.fromEntries(tensors.filter(([name]) => cut[slot].includes(name)))
  }
  const samples = {
    query: await encode('query', sample(1, 0, runtime)),
    passage: await encode('passage', sample(1, 1, runtime)),
  }
  const axes = tokenAxes(samples.passage, await encode('passage', sample(2, 1, runtime)))
  const long = Object.entries(samples.passage).flatMap(([name, tensor]) =>
    isLong(tensor, axes.get(name)) ? [name] : [],
  )
  const types = new Map(
    Object.values(samples).flatMap(tensors =>
      Object.entries(tensors).map(([name, { type }]) => [name, ELEMENT_TYPES[type]] as const),
    ),
  )
  const { word_match: byWord } = cut
  if (byWord !== undefined && !cut.passage.includes(IDS))
    throw new Error(`word_match needs ${IDS} among the tensors of the passage`)
  const rest = cutOnnx(graph, [...cut.query, ...cut.passage], [LOGITS], { rounded: long, byWord, types })
  return { encode, interaction: await open(true, rest), long, byWord: byWord ?? null, axes }
}

/** Inputs of some tokens of one text of a pair. @param type of its tokens @param first id; the others follow it */
export const sample = (tokens: number, type: number, runtime: Runtime, first = 0): Tensors =>
  toTensors(
    { ids: Array.from({ length: tokens }, (_, at) => first + at), types: Array.from({ length: tokens }, () => type) },
    runtime,
  )

export function toTensors({ ids, types }: ModelInput, { Tensor }: Runtime): Tensors {
  const tensor = (values: number[]) => new Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length])
  return { input_ids: tensor(ids), attention_mask: tensor(ids.map(() => 1)), token_type_ids: tensor(types) }
}
