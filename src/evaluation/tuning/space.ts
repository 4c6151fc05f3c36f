import { REPETITION_SCOPES } from '../../pack/repetition/packed-sentences.ts'

/** The values that a plan value can take in a search. Numbers are drawn evenly, on a linear or a logarithmic scale. */
type ValueRange =
  | { kind: 'linear' | 'log'; low: number; high: number; whole?: true }
  | { kind: 'choice'; values: readonly string[] }

const linear = (low: number, high: number): ValueRange => ({ kind: 'linear', low, high })
/** Whole numbers above 0, of which small ones differ more than large ones. */
const counts = (low: number, high: number): ValueRange => ({ kind: 'log', low, high, whole: true })
const choice = (...values: string[]): ValueRange => ({ kind: 'choice', values })

/**
 * The plan values that a search changes. Models, tokenizer, budget, format and deadlines are not among them: they are decided by other
 * needs than recall.
 */
export const TUNED_VALUES: Readonly<Record<string, ValueRange>> = {
  'retrieval.weights.dense': linear(0.1, 0.9),
  'retrieval.weights.keyword': linear(0.1, 0.9),
  'retrieval.weights.k': counts(20, 100),
  'retrieval.pool': counts(20, 100),
  'fusion.method': choice('values', 'rrf'),
  'fusion.candidateBm25': choice('on', 'off'),
  'fusion.partialDenseWeight': linear(0, 0.7),
  'dedupe.containment': choice('off', '0.7', '0.8', '0.9', '0.95'),
  'rerank.depth': counts(10, 80),
  'rerank.blend': linear(0, 0.8),
  'answerability.bonus': linear(0, 0.3),
  'reunification.enabled': choice('on', 'off'),
  'reunification.mentionShare': linear(0, 0.5),
  'reunification.propagation': linear(0, 0.5),
  'reunification.documentShare': linear(0, 0.6),
  'reunification.expansion': linear(0.5, 1),
  'reunification.scope': choice('section', 'document'),
  'diversity.mmrAlpha': choice('off', '0.5', '0.7', '0.8', '0.9'),
  'packing.mode': choice('passage', 'sentence'),
  'packing.overflow': choice('skip', 'stop'),
  'packing.maxOverflows': counts(1, 50),
  'packing.sentenceCut': choice('on', 'off'),
  'packing.documentCap': choice('off', '2', '3', '5', '8'),
  'packing.sectionCap': choice('off', '1', '2', '4'),
  'packing.parentExpansion': choice('off', '0.3', '0.5', '0.7'),
  'packing.noveltyAlpha': linear(0, 0.6),
  'packing.repetition': choice(...REPETITION_SCOPES),
}

/** A new value as text, as the command line and plan files have it. Numbers have two significant digits. */
export function drawValue(range: ValueRange, random: () => number): string {
  const at = random()
  if (range.kind === 'choice') return range.values[Math.floor(at * range.values.length)] ?? ''
  const { kind, low, high, whole = false } = range
  const value = kind === 'log' ? low * (high / low) ** at : low + (high - low) * at
  return whole ? String(Math.round(value)) : String(Math.round(value * 100) / 100)
}
