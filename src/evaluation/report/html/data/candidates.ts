import { getOrInsert } from '../../../../core/collections.ts'
import type { Trace, TraceCandidate } from '../../../../pipeline/trace/schema.ts'
import type { CandidateColumns, CandidatesPart, EvidenceColumns, SearchList } from '../report-data.ts'

/** Significant digits of scores on the page. */
const DIGITS = 4

/**
 * The candidates of one query under all arms at one budget. Lists that several arms share are kept once.
 * @param placeOf the place of a candidate's point in the table of points
 * @param hasGold whether the text of a candidate holds words of a gold passage; asked once for each point
 */
export function candidatesPart(
  traces: readonly (Trace | null)[],
  placeOf: (candidate: TraceCandidate) => number,
  hasGold: (candidate: TraceCandidate) => boolean,
): CandidatesPart {
  const lists = new Map<string, { place: number; list: SearchList }>()
  const placeOfList = (list: SearchList): number => {
    const key = JSON.stringify(list)
    return getOrInsert(lists, key, () => ({ place: lists.size, list })).place
  }
  const byPlace = new Map(
    traces.flatMap(trace => trace?.candidates ?? []).map(candidate => [placeOf(candidate), candidate]),
  )
  const gold = Array.from(byPlace).flatMap(([place, candidate]) => (hasGold(candidate) ? [place] : []))
  const arms = traces.map(trace => trace && columnsOf(trace, placeOf, placeOfList))
  return { gold, lists: Array.from(lists.values(), ({ list }) => list), arms }
}

function columnsOf(
  trace: Trace,
  placeOf: (candidate: TraceCandidate) => number,
  placeOfList: (list: SearchList) => number,
): CandidateColumns {
  const { candidates } = trace
  const places = candidates.map(placeOf)
  const rowsOf = (from: TraceCandidate['origin']) =>
    candidates.flatMap(({ origin }, row) => (origin === from ? [row] : []))
  const sources = [...new Set(candidates.flatMap(({ lists }) => lists.map(({ source }) => source)))]
  return {
    intent: trace.intent && `${trace.intent.label} (${trace.intent.rule})`,
    degraded: trace.degraded.map(({ code, detail }) => [code, detail]),
    stages: trace.stages.map(({ name, ms, in: before, out, changed }) => [name, rounded(ms), before, out, changed]),
    point: places,
    neighbour: rowsOf('neighbour'),
    parent: rowsOf('parent'),
    lists: sources.map(source => placeOfList(listOf(source, candidates, places))),
    fused: candidates.map(({ fused }) => rounded(fused)),
    rerank: candidates.map(({ rerank }) => roundedOrNull(rerank)),
    bonus: candidates.map(({ answerability }) => rounded(answerability.bonus)),
    features: candidates.map(({ answerability: { features } }) => (features.length > 0 ? features.join(', ') : null)),
    final: candidates.map(({ final }) => rounded(final)),
    tokens: candidates.map(({ tokens }) => tokens),
    position: candidates.map(({ position }) => position),
    reason: candidates.map(({ reason }) => reason),
    evidence: evidenceOf(candidates, places),
  }
}

/** A list in its own order, so that its ranks need no place in the file. */
function listOf(source: string, candidates: readonly TraceCandidate[], places: readonly number[]): SearchList {
  const held = candidates
    .flatMap(({ lists }, row) => {
      const signal = lists.find(list => list.source === source)
      return signal ? [{ ...signal, place: places[row] ?? 0 }] : []
    })
    .sort((left, right) => (left.rank ?? Infinity) - (right.rank ?? Infinity) || (right.score ?? 0) - (left.score ?? 0))
  return {
    source,
    weight: held[0]?.weight ?? 0,
    point: held.map(({ place }) => place),
    rank: held.every(({ rank }, index) => rank === index + 1) ? null : held.map(({ rank }) => rank),
    score: held.map(({ score }) => roundedOrNull(score)),
    contribution: held.map(({ contribution }) => rounded(contribution)),
  }
}

function evidenceOf(candidates: readonly TraceCandidate[], places: readonly number[]): EvidenceColumns {
  // Evidence names other candidates by their keys: the collection and the id.
  const byKey = new Map(candidates.map(({ collection, id }, row) => [`${collection}/${id}`, places[row] ?? 0]))
  const column = <Value>(factOf: (evidence: NonNullable<TraceCandidate['evidence']>) => Value | undefined) =>
    candidates.map(({ evidence }) => (evidence ? (factOf(evidence) ?? null) : null))
  return {
    of: column(({ of }) => (of === undefined ? undefined : byKey.get(of))),
    similarity: column(({ similarity }) => similarity),
    shortBy: column(evidence => evidence.short_by_tokens),
    rank: column(({ rank }) => rank),
    cap: column(({ cap }) => cap),
    detail: column(({ detail }) => detail),
  }
}

function rounded(value: number): number {
  return Number(value.toPrecision(DIGITS))
}

function roundedOrNull(value: number | null): number | null {
  return value === null ? null : rounded(value)
}
