import { logitOf } from '../load.ts'
import { wordNames } from '../onnx/graph.ts'
import type { Runtime, Tensors } from '../onnx/runtime.ts'
import { asTables, cheapestGroups, createBatches, tokensOf } from './batch.ts'
import { IDS, LOGITS, type OpenedCut, sample } from './cut.ts'
import { roundRows } from './side.ts'
import { createEachToken, createEachWord, type WordsOf } from './words.ts'

/** The logits of the pairs of a query, one for each passage. One call at a time. */
type LogitsOf = (query: Tensors, passages: readonly Tensors[]) => Promise<number[]>

/** Largest difference of two logits that are the same but for rounding. */
const SAME = 1e-3

/** Makes a function that computes logits of passages together where the graph allows it: a run costs as much as the arithmetic of one passage. */
export async function createInteraction(cut: OpenedCut, runtime: Runtime): Promise<LogitsOf> {
  const apart = oneByOne(cut, runtime)
  const together = inBatches(cut, runtime)
  return (await givesSame(apart, together, cut, runtime)) ? together : apart
}

function oneByOne(cut: OpenedCut, runtime: Runtime): LogitsOf {
  const run = createRun(cut, runtime, createEachToken(runtime))
  return async (query, passages) => {
    const logits: number[] = []
    for (const passage of passages) logits.push(...(await run(query, passage, 1)))
    return logits
  }
}

function inBatches(cut: OpenedCut, runtime: Runtime): LogitsOf {
  const batchOf = createBatches(runtime, cut)
  const run = createRun(cut, runtime, createEachWord(runtime))
  return async (query, passages) => {
    const logits = passages.map(() => Number.NaN)
    const lengths = passages.map(passage => tokensOf(passage, cut.axes))
    for (const places of cheapestGroups(lengths)) {
      const batch = batchOf(places.map(place => passages[place] ?? {}))
      const found = await run(query, batch, places.length)
      for (const [at, place] of places.entries()) logits[place] = found[at] ?? Number.NaN
    }
    return logits
  }
}

/** Makes a function that runs the interaction once. @param wordsOf for the tensor that is computed by words */
function createRun({ interaction, long, byWord }: OpenedCut, runtime: Runtime, wordsOf: WordsOf) {
  return async (query: Tensors, batch: Tensors, pairs: number): Promise<number[]> => {
    const fed = { ...query, ...asTables(batch, long, runtime) }
    if (byWord !== null && batch[IDS] !== undefined) {
      const { ids, places } = wordsOf(batch[IDS])
      Object.assign(fed, { [IDS]: ids, [wordNames(byWord).places]: places })
    }
    const { [LOGITS]: logits } = await interaction.run(fed)
    const labels = (logits?.data.length ?? 0) / pairs
    return Array.from({ length: pairs }, (_, at) =>
      logitOf(logits?.data.subarray(at * labels, (at + 1) * labels) ?? []),
    )
  }
}

/** Whether passages get the same logits together, with padding, as alone. A graph can refuse several, count the padding, or compute of a token what depends on its place. */
async function givesSame(apart: LogitsOf, together: LogitsOf, cut: OpenedCut, runtime: Runtime): Promise<boolean> {
  const query = await cut.encode('query', sample(2, 0, runtime))
  const passages: Tensors[] = []
  let first = 0
  for (const tokens of [1, 3, 2]) {
    passages.push(roundRows(await cut.encode('passage', sample(tokens, 1, runtime, first)), cut.long, runtime))
    first += tokens
  }
  const alone = await apart(query, passages)
  const joined = await together(query, passages).catch(() => [])
  return alone.every((logit, at) => Math.abs(logit - (joined[at] ?? Number.NaN)) < SAME)
}
