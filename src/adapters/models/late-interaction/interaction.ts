import { logitOf } from '../load.ts'
import type { Runtime, Tensors } from '../onnx/runtime.ts'
import { asTables, cheapestGroups, createBatches, tokensOf } from './batch.ts'
import { LOGITS, type OpenedCut, sample } from './cut.ts'
import { roundRows } from './side.ts'

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
  return async (query, passages) => {
    const logits: number[] = []
    for (const passage of passages) logits.push(...(await run(cut, runtime, query, passage, 1)))
    return logits
  }
}

function inBatches(cut: OpenedCut, runtime: Runtime): LogitsOf {
  const batchOf = createBatches(runtime, cut)
  return async (query, passages) => {
    const logits = passages.map(() => Number.NaN)
    const lengths = passages.map(passage => tokensOf(passage, cut.axes))
    for (const places of cheapestGroups(lengths)) {
      const batch = batchOf(places.map(place => passages[place] ?? {}))
      const found = await run(cut, runtime, query, batch, places.length)
      for (const [at, place] of places.entries()) logits[place] = found[at] ?? Number.NaN
    }
    return logits
  }
}

async function run(
  { interaction, long }: OpenedCut,
  runtime: Runtime,
  query: Tensors,
  batch: Tensors,
  pairs: number,
): Promise<number[]> {
  const { [LOGITS]: logits } = await interaction.run({ ...query, ...asTables(batch, long, runtime) })
  const labels = (logits?.data.length ?? 0) / pairs
  return Array.from({ length: pairs }, (_, at) => logitOf(logits?.data.subarray(at * labels, (at + 1) * labels) ?? []))
}

/** Whether passages get the same logits together, with padding, as alone. A graph can refuse several, or count the padding. */
async function givesSame(apart: LogitsOf, together: LogitsOf, cut: OpenedCut, runtime: Runtime): Promise<boolean> {
  const query = await cut.encode('query', sample(2, 0, runtime))
  const passages: Tensors[] = []
  for (const tokens of [1, 3, 2]) {
    passages.push(roundRows(await cut.encode('passage', sample(tokens, 1, runtime)), cut.long, runtime))
  }
  const alone = await apart(query, passages)
  const joined = await together(query, passages).catch(() => [])
  return alone.every((logit, at) => Math.abs(logit - (joined[at] ?? Number.NaN)) < SAME)
}
