import { DROP_REASONS } from '../../core/vocabulary.ts'
import { evidenceWords } from '../../pipeline/trace/evidence-words.ts'
import type { Trace, TraceCandidate } from '../../pipeline/trace/schema.ts'
import { printable } from '../../text/printable.ts'

/** Most characters of a document and its section. */
const LONGEST_PLACE = 300

/** A trace in words, a line for what happened and a line for each candidate: those of the context first, then the others by value. */
export function traceLines(trace: Trace): string[] {
  return [...summaryLines(trace), ...inOrder(trace.candidates).map(candidateLine)]
}

/** The lines of those candidates whose point or document has this id; a sentence when there are none. */
export function candidateLines(trace: Trace, candidate: string): string[] {
  const found = inOrder(trace.candidates).filter(({ id, doc_id }) => String(id) === candidate || doc_id === candidate)
  if (found.length > 0) return found.map(candidateLine)
  return [
    `${printable(candidate, LONGEST_PLACE)} was not found by any search of this request, so nothing decided about it.`,
  ]
}

function summaryLines(trace: Trace): string[] {
  const { query, collections, intent, mode, counts, budget, degraded, cache } = trace
  const { corrections = [], named_documents: named = [] } = trace
  const asked = query === null ? 'A search without text' : printable(JSON.stringify(query))
  const how = [
    intent && `intent ${intent.label}`,
    mode?.used && `mode ${mode.used}`,
    cache === 'hit' && 'answered from the cache',
  ]
  const details = how.filter(part => typeof part === 'string')
  return [
    `${asked} in ${collections.join(', ')}${details.length > 0 ? ` (${details.join(', ')})` : ''}.`,
    ...corrections.map(({ word, correction }) => `"${word}" was taken for "${correction}".`),
    ...named.map(
      ({ doc_id }) => `The question names ${printable(doc_id, LONGEST_PLACE)}, which was searched once more.`,
    ),
    `${counts.packed} of ${counts.retrieved} candidates are in the context, which has ${budget.used} of ${budget.tokens} tokens.`,
    ...degraded.map(({ code, detail }) => `Done without: ${code} (${printable(detail)}).`),
  ]
}

function inOrder(candidates: readonly TraceCandidate[]): TraceCandidate[] {
  const rankOf = ({ position }: TraceCandidate) => position ?? Number.POSITIVE_INFINITY
  return [...candidates].sort((a, b) => {
    const [left, right] = [rankOf(a), rankOf(b)]
    return left === right ? b.final - a.final : left - right
  })
}

function candidateLine(candidate: TraceCandidate): string {
  const { id, doc_id, section_path } = candidate
  const place = printable([doc_id, section_path].filter(part => part !== '').join(' > '), LONGEST_PLACE)
  return `- ${place === '' ? `point ${id}` : `${place} (point ${id})`}: ${decisionOf(candidate)} ${groundsOf(candidate)}`
}

function decisionOf({ decision, position, tokens, reason, evidence }: TraceCandidate): string {
  if (decision === 'packed' || reason === null) return `included at position ${position}, ${tokens} tokens.`
  const figures = evidenceWords(evidence).map(figure => printable(figure, LONGEST_PLACE))
  return `left out (${reason}). ${DROP_REASONS[reason]}${figures.length > 0 ? ` Figures: ${figures.join(', ')}.` : ''}`
}

/** What the decision was made of. */
function groundsOf({ origin, lists, rerank, answerability, mention, final }: TraceCandidate): string {
  const found = lists.flatMap(({ source, rank }) => (rank === null ? [] : `rank ${rank} in ${source}`))
  const grounds = [
    origin === 'neighbour'
      ? 'It stands beside a found passage.'
      : found.length > 0 && `Found at ${found.join(' and ')}.`,
    rerank !== null && `The reranker gave ${rounded(rerank)}.`,
    answerability.bonus > 0 && `It looks like an answer (${answerability.features.join(', ')}).`,
    answerability.bonus < 0 && 'It is nothing but links.',
    mention && `The passage ${printable(String(mention.by), LONGEST_PLACE)} names its document.`,
    `Final value ${rounded(final)}.`,
  ]
  return grounds.filter(ground => typeof ground === 'string').join(' ')
}

function rounded(value: number): string {
  return String(Math.round(value * 1_000) / 1_000)
}
