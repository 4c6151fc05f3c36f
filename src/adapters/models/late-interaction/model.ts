import type { Span } from '../../../core/types.ts'
import { loadTokenizer } from '../load.ts'
import type { ModelSource } from '../model-folder.ts'
import { roundedNames } from '../onnx/graph.ts'
import { loadRuntime, type Tensors } from '../onnx/runtime.ts'
import { assembleSide, learnTemplate, sideStart } from '../pair-assembly.ts'
import { openCut, toTensors } from './cut.ts'
import { createInteraction } from './interaction.ts'
import { partMatches, type TokenVectors } from './part-match.ts'
import { createUnpackSides, packSide, roundRows, type Side } from './side.ts'
import { rangesOfTokens } from './token-ranges.ts'

/** A cross-encoder whose graph is cut in two: the encoder reads one text, the interaction joins what it made of both. */
export interface LateInteractionModel {
  encodeQuery(query: string): Promise<Side>
  encodePassage(passage: string): Promise<Side>
  /** The tensors of a query for its pairs. They are good until the next call. */
  openQuery(query: Side): Tensors
  /** The logits of the pairs of a query, one for each passage. One call at a time. */
  interact(query: Tensors, passages: readonly Side[]): Promise<number[]>
  /**
   * How well each part of a passage matches the query, as `partMatches`; null when it cannot be told, because a part is behind the end of what the model reads, or the folder of the
   * model does not say how.
   * @param parts ranges of the text in UTF-16 code units, in its order, that do not overlap
   */
  matchParts(query: Tensors, passage: { text: string; side: Side }, parts: readonly Span[]): number[] | null
}

/**
 * Loads a model and cuts its graph at the tensors that stowage.json names. Each text has the whole window of the model, so that what is made of
 * a passage is the same for each query.
 * @throws Error when the graph cannot be cut there
 */
export async function loadLateInteraction(source: ModelSource): Promise<LateInteractionModel> {
  const { late_interaction: cut } = source.settings
  if (cut === undefined) throw new Error('it has none')
  const runtime = loadRuntime()
  const opened = await openCut(source, cut, runtime)
  const logitsOf = await createInteraction(opened, runtime)
  const { encode, wrap } = await loadTokenizer(source)
  const sample = encode('a')
  const template = learnTemplate(wrap('a', 'a'), { query: sample, passage: sample })

  const special = assembleSide(template, 'passage', [], source.maxTokens).ids.length

  const openPassages = createUnpackSides(runtime)
  const openQueries = createUnpackSides(runtime)
  const run = (slot: 'query' | 'passage', text: string): Promise<Tensors> =>
    opened.encode(slot, toTensors(assembleSide(template, slot, encode(text), source.maxTokens), runtime))
  return {
    encodeQuery: async query => packSide(await run('query', query)),
    encodePassage: async passage => packSide(roundRows(await run('passage', passage), opened.long, runtime)),
    openQuery: query => openQueries([query])[0] ?? {},
    interact: (query, passages) => logitsOf(query, openPassages(passages)),
    matchParts(query, { text, side }, parts) {
      const { part_match: match } = cut
      const [passage = {}] = openPassages([side])
      const { input_ids: ids } = passage
      if (match === undefined || ids === undefined || (parts.at(-1)?.end ?? 0) > text.length) return null
      const [asked, importance] = [match.query, match.importance].flatMap(name => blocksOf(query, name))
      const [matched, ...others] = match.passage.flatMap(name => blocksOf(passage, name))
      if (asked === undefined || importance === undefined || matched === undefined) return null
      const first = sideStart(template, 'passage')
      const whole = Array.from(ids.data, Number).slice(first, ids.data.length - (special - first))
      const ranges = rangesOfTokens(encode, text, whole, parts)
      if (ranges === null) return null
      const weights = Array.from({ length: asked.rows }, (_, row) => Number(importance.values[row * importance.width]))
      const rows = ranges.map(({ start, end }) => ({ start: start + first, end: end + first }))
      return partMatches({ vectors: asked, importance: weights }, [matched, ...others], rows, match)
    },
  }
}

/** The rows of a tensor [1, rows, width], or of each block of [1, blocks, rows, width], exact or rounded. None when it is not there. */
function blocksOf(tensors: Tensors, name: string): TokenVectors[] {
  const names = roundedNames(name)
  const tensor = tensors[names.rounded] ?? tensors[name]
  if (tensor === undefined || tensor.dims.length < 3) return []
  const [rows = 0, width = 0] = tensor.dims.slice(-2)
  const scales = tensors[names.rounded] && (tensors[names.scales]?.data as Float32Array | undefined)
  // No tensor of a cut is of int64 but the ids of the tokens, which have two dimensions.
  const values = tensor.data as Exclude<typeof tensor.data, BigInt64Array>
  return Array.from({ length: values.length / (rows * width) }, (_, block) => ({
    values: values.subarray(block * rows * width, (block + 1) * rows * width),
    rows,
    width,
    scales: scales?.subarray(block * rows, (block + 1) * rows) ?? null,
  }))
}
