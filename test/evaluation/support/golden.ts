import type { GoldPassage } from '../../../src/evaluation/golden-set/evidence.ts'
import type { GoldenQuery } from '../../../src/evaluation/golden-set/golden-set.ts'
import type { ReplayRun, RunFigures } from '../../../src/evaluation/metrics/measure-run.ts'
import { MEASURE_NAMES, type Measured } from '../../../src/evaluation/metrics/measures.ts'

/** A gold passage at a place of a text. */
export function goldSpan(text: string, start: number, end: number, docId = 'd'): GoldPassage {
  return { kind: 'span', text: text.slice(start, end), place: { docId, start, end }, grade: 1 }
}

/** A query with these gold passages. */
export function goldenQuery(
  id: string,
  goldPassages: GoldPassage[],
  changes: Partial<Omit<GoldenQuery, 'id' | 'goldPassages'>> = {},
): GoldenQuery {
  const plain = { tenant: null, filter: null, split: null, intent: null, grade: null, answer: null } as const
  return { id, query: `query ${id}`, ...plain, goldPassages, ...changes }
}

/** A run whose whole context is one packed chunk. */
export function replayRun(context: string, changes: Partial<ReplayRun> = {}): ReplayRun {
  const chunk = { id: '1', docId: 'd', text: context }
  return {
    context,
    format: 'markdown',
    packed: [chunk],
    ranked: [chunk],
    spans: [{ docId: 'd', start: 0, end: context.length }],
    stageMs: { pack: 1 },
    totalMs: 2,
    degraded: [],
    trace: () => null,
    ...changes,
  }
}

/** Figures with this answer recall; the other measures are plausible or null. */
export function runFigures(
  recall: number,
  { measures, ...changes }: Partial<Omit<RunFigures, 'measures'>> & { measures?: Partial<Measured> } = {},
): RunFigures {
  const none = Object.fromEntries(MEASURE_NAMES.map(name => [name, null])) as Measured
  const usual = {
    recall,
    all_found: Math.floor(recall),
    covered: recall,
    garbage: 0.5,
    redundancy: 1.1,
    tokens: 400,
    degraded: 0,
  }
  return {
    measures: { ...none, ...usual, ...measures },
    overrun: 0,
    lost: 0,
    ms: 3,
    stageMs: { pack: 1 },
    degraded: [],
    chunkIds: [],
    ...changes,
  }
}
