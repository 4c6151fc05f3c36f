import type { CandidateColumns, CandidatesPart, EvidenceColumns, PointsPart } from '../../report-data.ts'

/** One candidate as a row of the page. */
export interface Candidate {
  row: number
  id: string
  name: string
  docId: string
  sectionPath: string
  snippet: string | null
  gold: boolean
  /** How it was fetched; null for what the searches found. */
  fetchedAs: 'neighbour' | 'parent' | null
  lists: { source: string; weight: number; rank: number | null; score: number | null; contribution: number }[]
  fused: number
  rerank: number | null
  bonus: number
  features: string | null
  final: number
  tokens: number | null
  position: number | null
  reason: string | null
  evidence: string | null
}

export function candidatesOf(part: CandidatesPart, columns: CandidateColumns, points: PointsPart): Candidate[] {
  const gold = new Set(part.gold)
  const neighbours = new Set(columns.neighbour)
  const parents = new Set(columns.parent)
  const lists = columns.lists.flatMap(place => {
    const list = part.lists[place]
    return list ? [{ ...list, rows: new Map(list.point.map((point, row) => [point, row])) }] : []
  })
  return columns.point.map((point, row) => ({
    row,
    id: points.id[point] ?? '',
    name: pointName(points, point),
    docId: points.docId[point] ?? '',
    sectionPath: points.sectionPath[point] ?? '',
    snippet: points.snippet[point] ?? null,
    gold: gold.has(point),
    fetchedAs: neighbours.has(row) ? 'neighbour' : parents.has(row) ? 'parent' : null,
    lists: lists.flatMap(({ source, weight, rows, rank, score, contribution }) => {
      const at = rows.get(point)
      if (at === undefined) return []
      const ranked = rank === null ? at + 1 : (rank[at] ?? null)
      return [{ source, weight, rank: ranked, score: score[at] ?? null, contribution: contribution[at] ?? 0 }]
    }),
    fused: columns.fused[row] ?? 0,
    rerank: columns.rerank[row] ?? null,
    bonus: columns.bonus[row] ?? 0,
    features: columns.features[row] ?? null,
    final: columns.final[row] ?? 0,
    tokens: columns.tokens[row] ?? null,
    position: columns.position[row] ?? null,
    reason: columns.reason[row] ?? null,
    evidence: evidenceText(columns.evidence, row, columns.reason[row] ?? null, points),
  }))
}

function pointName(points: PointsPart, point: number): string {
  const path = points.sectionPath[point] ?? ''
  const last = path.split(' > ').at(-1) ?? ''
  const order = points.order[point] ?? null
  return `${points.docId[point]}${last === '' ? '' : ` › ${last}`}${order === null ? '' : ` #${order}`}`
}

/** For example `short by 180 tokens`; null without evidence. */
function evidenceText(
  evidence: EvidenceColumns,
  row: number,
  reason: string | null,
  points: PointsPart,
): string | null {
  const { of, similarity, shortBy, rank, cap, detail } = evidence
  const [other, alike, short, place, most] = [of, similarity, shortBy, rank, cap].map(column => column[row] ?? null)
  const parts = [
    other != null && `${reason === 'duplicate' ? 'duplicate of' : 'similar to'} ${pointName(points, other)}`,
    alike != null && `similarity ${alike}`,
    short != null && `short by ${short} tokens`,
    place != null && (most == null ? `rank ${place}` : `rank ${place}, and the first ${most} are kept`),
    place == null && most != null && `the cap is ${most}`,
    detail[row],
  ].filter(part => typeof part === 'string')
  return parts.length > 0 ? parts.join(', ') : null
}
