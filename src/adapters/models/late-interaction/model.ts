import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Span } from '../../../core/types.ts'
import { loadTokenizer, logitOf } from '../load.ts'
import { type LateInteraction, type ModelSource, WEIGHTS } from '../model-folder.ts'
import { cutOnnx, readOnnx, roundedNames } from '../onnx/graph.ts'
import { loadRuntime, type Runtime, type Session, type Tensors } from '../onnx/runtime.ts'
import { leaveWeightsInFile } from '../onnx/stored-weights.ts'
import { assembleSide, learnTemplate, type ModelInput, sideStart } from '../pair-assembly.ts'
import { partMatches, type TokenVectors } from './part-match.ts'
import { createUnpackSide, isLong, packSide, roundRows, type Side } from './side.ts'
import { rangesOfTokens } from './token-ranges.ts'

/** A cross-encoder whose graph is cut in two: the encoder reads one text, the interaction joins what it made of both. */
export interface LateInteractionModel {
  encodeQuery(query: string): Promise<Side>
  encodePassage(passage: string): Promise<Side>
  /** The tensors of a query for its pairs. They are good until the next call. */
  openQuery(query: Side): Tensors
  /** The logit of the pair. One call at a time. */
  interact(query: Tensors, passage: Side): Promise<number>
  /**
   * How well each part of a passage matches the query, as `partMatches`; null when it cannot be told, because a part is behind the end of what the model reads, or the folder of the
   * model does not say how.
   * @param parts ranges of the text in UTF-16 code units, in its order, that do not overlap
   */
  matchParts(query: Tensors, passage: { text: string; side: Side }, parts: readonly Span[]): number[] | null
}

const INPUTS = ['input_ids', 'attention_mask', 'token_type_ids']
const LOGITS = 'logits'

/**
 * Loads a model and cuts its graph at the tensors that stowage.json names. Each text has the whole window of the model, so that what is made of
 * a passage is the same for each query.
 * @throws Error when the graph cannot be cut there
 */
export async function loadLateInteraction(source: ModelSource): Promise<LateInteractionModel> {
  const { late_interaction: cut } = source.settings
  if (cut === undefined) throw new Error('it has none')
  const runtime = loadRuntime()
  const { encoder, interaction, long } = await openSessions(source, cut, runtime)
  const { encode, wrap } = await loadTokenizer(source)
  const sample = encode('a')
  const template = learnTemplate(wrap('a', 'a'), { query: sample, passage: sample })

  /** Special tokens of a passage. */
  const special = assembleSide(template, 'passage', [], source.maxTokens).ids.length

  const openPassage = createUnpackSide(runtime)
  const run = async (slot: 'query' | 'passage', text: string): Promise<Tensors> => {
    const inputs = toTensors(assembleSide(template, slot, encode(text), source.maxTokens), runtime)
    const tensors: Tensors = { ...inputs, ...(await encoder.run(inputs)) }
    return Object.fromEntries(Object.entries(tensors).filter(([name]) => cut[slot].includes(name)))
  }
  return {
    encodeQuery: async query => packSide(await run('query', query)),
    encodePassage: async passage => packSide(roundRows(await run('passage', passage), long, runtime)),
    openQuery: createUnpackSide(runtime),
    async interact(query, passage) {
      const { [LOGITS]: logits } = await interaction.run({ ...query, ...openPassage(passage) })
      return logitOf(logits?.data ?? [])
    },
    matchParts(query, { text, side }, parts) {
      const { part_match: match } = cut
      if (match === undefined || (parts.at(-1)?.end ?? 0) > text.length) return null
      const passage = openPassage(side)
      const [asked, found] = [vectorsOf(query, match.query), vectorsOf(passage, match.passage)]
      const importance = vectorsOf(query, match.importance)
      const first = sideStart(template, 'passage')
      const { input_ids: ids } = passage
      if (asked === null || found === null || importance === null || ids === undefined) return null
      const whole = Array.from(ids.data, Number).slice(first, ids.data.length - (special - first))
      const ranges = rangesOfTokens(encode, text, whole, parts)
      if (ranges === null) return null
      const weights = Array.from({ length: asked.rows }, (_, row) => Number(importance.values[row * importance.width]))
      const rows = ranges.map(({ start, end }) => ({ start: start + first, end: end + first }))
      return partMatches({ vectors: asked, importance: weights }, found, rows, match)
    },
  }
}

/** The rows of a tensor [1, rows, width], exact or rounded; null when it is not there. */
function vectorsOf(tensors: Tensors, name: string): TokenVectors | null {
  const { rounded, scales } = roundedNames(name)
  const tensor = tensors[rounded] ?? tensors[name]
  if (tensor === undefined || tensor.dims.length !== 3) return null
  const [, rows = 0, width = 0] = tensor.dims
  // No tensor of a cut is of int64 but the ids of the tokens, which have two dimensions.
  const values = tensor.data as Exclude<typeof tensor.data, BigInt64Array>
  const factors = tensors[rounded] ? (tensors[scales]?.data as Float32Array | undefined) : undefined
  return { values, rows, width, scales: factors ?? null }
}

interface Sessions {
  /** Inputs of a model for one text to the tensors of the cut. */
  encoder: Session
  /** The tensors of the cut, of both texts, to the logits. */
  interaction: Session
  /** The tensors of a passage that the interaction takes rounded. */
  long: string[]
}

/** Cuts the graph. The long weights, more than 20 MB, stay in their file, and nothing that lives on may refer to the bytes that were read from it. */
async function openSessions(source: ModelSource, cut: LateInteraction, runtime: Runtime): Promise<Sessions> {
  const folder = join(source.location, 'onnx')
  const name = WEIGHTS[source.dtype]
  const file = await readFile(join(folder, name))
  const graph = leaveWeightsInFile(readOnnx(file), file, name)
  const open = (enableCpuMemArena: boolean, ...part: [inputs: string[], outputs: string[], rounded?: string[]]) =>
    // One thread, because the pool has a worker per core. Severity 3 is errors.
    runtime.InferenceSession.create(cutOnnx(graph, ...part), {
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      logSeverityLevel: 3,
      enableCpuMemArena,
      extra: { session: { model_external_initializers_file_folder_path: folder } },
    })
  const computed = [...cut.query, ...cut.passage].filter(name => !INPUTS.includes(name))
  // An arena never gives back what the longest passage took: 15 MB a worker. Reading a passage takes about 1 % longer without it.
  const encoder = await open(false, INPUTS, computed)
  const sample = await encoder.run(toTensors({ ids: [0], types: [1] }, runtime))
  const long = cut.passage.filter(name => sample[name] !== undefined && isLong(sample[name]))
  return { encoder, interaction: await open(true, [...cut.query, ...cut.passage], [LOGITS], long), long }
}

function toTensors({ ids, types }: ModelInput, { Tensor }: Runtime): Tensors {
  const tensor = (values: number[]) => new Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length])
  return { input_ids: tensor(ids), attention_mask: tensor(ids.map(() => 1)), token_type_ids: tensor(types) }
}
