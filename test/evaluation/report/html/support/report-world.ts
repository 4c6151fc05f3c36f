import { codesOf, DROP_REASONS, STAGES } from '../../../../../src/core/vocabulary.ts'
import { reportArm } from '../../../../../src/evaluation/arms/arm.ts'
import type { QueryDetails, ReplayReport } from '../../../../../src/evaluation/replay/results.ts'
import type { HtmlReportInput } from '../../../../../src/evaluation/report/html/html-report.ts'
import type { AblationRow } from '../../../../../src/evaluation/report/html/report-data.ts'
import { NAMED_PLANS } from '../../../../../src/pipeline/plan/named-plans.ts'
import type { Trace, TraceCandidate } from '../../../../../src/pipeline/trace/schema.ts'
import { seededRandom } from '../../../../../src/statistics/seeded-random.ts'
import { goldenQuery, goldSpan, runFigures } from '../../../support/golden.ts'

export interface WorldOptions {
  queries?: number
  arms?: readonly string[]
  budgets?: readonly number[]
  candidates?: number
  /** Stands in every text: titles, sections, passages, contexts, questions, answers. */
  text?: string
  ablation?: boolean
}

const GOLD = 'The oil lamp of the north pier burns for nine hours before it is filled again.'
const REASONS = codesOf(DROP_REASONS)
/** Enough for plots. Statistics have tests of their own. */
const FEW_RESAMPLES = { resamples: 50, seed: 1, confidence: 0.95 }

/** An invented replay with everything that a report shows. Later arms find more than earlier ones, and larger budgets more than smaller ones. */
export function reportWorld(options: WorldOptions = {}): HtmlReportInput {
  const {
    queries: count = 12,
    arms = ['topk', 'measured'],
    budgets = [500, 1000, 2000],
    text = '',
    ablation = false,
  } = options
  const random = seededRandom(7)
  const golden = Array.from({ length: count }, (_, index) =>
    goldenQuery(`q${index}`, [goldSpan(GOLD, 0, GOLD.length)], {
      query: `How long does lamp ${index} burn? ${text}`,
      answer: `Nine hours ${text}`,
      intent: index % 2 === 0 ? 'measurement' : 'definition',
      grade: index % 3 === 0 ? 'hard' : 'easy',
    }),
  )
  const details: QueryDetails[] = []
  const queries = golden.map(({ id, query, intent, grade }) => {
    const detail: QueryDetails = { set: 'lamps', id, golds: [GOLD], texts: {}, arms: {} }
    details.push(detail)
    const figures = arms.map((arm, place) => {
      const runs = budgets.map((budget, step) => {
        const found = random() < 0.3 + 0.1 * place + 0.15 * step
        const trace = traceOf(query, budget, found, options, random)
        for (const { id: point } of trace.candidates) detail.texts[String(point)] = passage(Number(point), found, text)
        const context = trace.candidates
          .filter(({ decision }) => decision === 'packed')
          .map(({ id: point }) => detail.texts[String(point)])
        const ofArm = detail.arms[arm] ?? {}
        detail.arms[arm] = { ...ofArm, [budget]: { context: context.join('\n\n'), trace } }
        const stageMs = Object.fromEntries(trace.stages.map(({ name, ms }) => [name, ms]))
        return [
          budget,
          runFigures(found ? 1 : 0, { stageMs, ms: 9, measures: { tokens: trace.budget.used, mrr: random() } }),
        ]
      })
      return [arm, Object.fromEntries(runs)]
    })
    return { id, query, intent, grade, golds: 1, arms: Object.fromEntries(figures) }
  })
  const report: ReplayReport = {
    version: 2,
    budgets: [...budgets],
    chunkTokens: 200,
    reranker: null,
    arms: arms.map((name, place) =>
      reportArm({ kind: 'plan', name, plan: place % 2 === 0 ? NAMED_PLANS.measured : NAMED_PLANS.design }),
    ),
    sets: [
      {
        name: 'lamps',
        hash: 'c0ffee',
        documents: 3,
        chunks: 40,
        embedder: 'invented',
        degraded: { nothing_fits: 1 },
        queries,
      },
    ],
  }
  return {
    report,
    against: arms[0] ?? '',
    details,
    sets: [{ name: 'lamps', queries: golden }],
    ablation: ablation ? ablationRows() : null,
    facts: { createdAt: '2026-11-22T12:00:00.000Z', stowage: '0.1.0', command: 'stowage replay lamps' },
    bootstrap: FEW_RESAMPLES,
  }
}

function passage(point: number, holdsGold: boolean, text: string): string {
  const talk = `Keeper ${point} writes about rope, water and weather at place ${point}. ${text}`
  return holdsGold && point === 0 ? `${talk} ${GOLD} ${talk}` : talk
}

function traceOf(
  query: string,
  budget: number,
  found: boolean,
  { candidates = 24, text = '' }: WorldOptions,
  random: () => number,
): Trace {
  const packed = Math.min(candidates, 2 + Math.floor(budget / 400))
  return {
    version: 3,
    trace_id: '',
    endpoint: 'replay',
    started_at: '2026-11-22T12:00:00.000Z',
    tenant: null,
    session_id: null,
    assignment: null,
    flags: [],
    shadow_of: null,
    collections: ['replay'],
    query,
    query_source: 'request',
    intent: { label: 'measurement', rule: 'how long' },
    mode: { asked: 'hybrid', used: 'hybrid' },
    plan: NAMED_PLANS.measured,
    plan_fingerprint: 'f',
    cache: 'off',
    stages: codesOf(STAGES).map((name, at) => ({
      name,
      start_ms: at,
      ms: 0.1 + at + random(),
      in: candidates,
      out: candidates,
      changed: at % 2 === 0,
    })),
    duration_ms: 9,
    degraded: found ? [] : [{ code: 'neighbours_unavailable', detail: `lost ${text}` }],
    counts: { retrieved: candidates, packed, dropped: candidates - packed },
    budget: { tokens: budget, used: Math.round(budget * 0.9), tokenizer: 'gpt-4o', encoding: 'o200k_base' },
    recall_proxy: null,
    candidates: Array.from({ length: candidates }, (_, row) =>
      candidateOf(row, row < packed ? row + 1 : null, text, random),
    ),
  }
}

function candidateOf(row: number, position: number | null, text: string, random: () => number): TraceCandidate {
  const reason = position === null ? (REASONS[row % REASONS.length] ?? null) : null
  return {
    id: String(row),
    collection: 'replay',
    doc_id: `pier-${row % 3}${text}`,
    section_path: `Lamps > North ${row}${text}`,
    order_index: row,
    origin: row % 7 === 6 ? 'neighbour' : row === 8 ? 'parent' : 'retrieved',
    lists: [
      { source: 'dense', kind: 'dense', rank: row + 1, score: 1 - row / 100, weight: 0.3, contribution: random() },
      { source: 'keyword', kind: 'keyword', rank: null, score: random() * 9, weight: 0.7, contribution: random() },
    ],
    fused: random(),
    rerank: row % 2 === 0 ? random() : null,
    answerability: { bonus: row === 0 ? 0.1 : 0, features: row === 0 ? ['number with unit'] : [] },
    final: 1 - row / 100,
    tokens: position === null ? null : 90,
    decision: position === null ? 'dropped' : 'packed',
    position,
    reason,
    evidence:
      reason === null ? null : reason === 'duplicate' ? { of: 'replay/0', similarity: 0.93 } : { short_by_tokens: 180 },
  }
}

function ablationRows(): AblationRow[] {
  const rules = ['dedupe', 'section reunification', 'answerability bonus', 'document cap']
  return rules.flatMap((rule, place) =>
    (['off alone', 'on alone'] as const).map((kind, side): AblationRow => {
      const mean = 0.08 - 0.05 * place - 0.01 * side
      const [low, high] = [mean - 0.03, mean + 0.03]
      const verdict = low > 0 ? 'helps' : high < 0 ? 'hurts' : 'unproven'
      return { rule, meaning: `What ${rule} does.`, kind, measure: 'recall', set: null, mean, low, high, verdict }
    }),
  )
}
