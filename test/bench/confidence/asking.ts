import { placeKey } from '../../../src/core/keys.ts'
import type { Candidate } from '../../../src/core/types.ts'
import { evidenceFigures, sharesByText } from '../../../src/evaluation/metrics/context.ts'
import { plainText } from '../../../src/evaluation/metrics/plain-text.ts'
import { QueryEvidence } from '../../../src/evaluation/metrics/query-evidence.ts'
import { PortCache } from '../../../src/evaluation/replay/cached-ports.ts'
import { noDeadline } from '../../../src/pipeline/deadline.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import { overridePlan } from '../../../src/pipeline/plan/override-plan.ts'
import { type ContextRun, rankContext } from '../../../src/pipeline/run-context.ts'
import { RunRecord } from '../../../src/pipeline/run-record.ts'
import type { PipelinePorts } from '../../../src/pipeline/services.ts'
import { neighboursOf } from '../../../src/rank/reunify.ts'
import type { Question } from './questions.ts'

/** A ranked passage: its evidence, and whether it holds a gold passage or stands in one. */
export interface PassageRow {
  rerank: number | null
  coverage: number
  gold: boolean
}

/** One question to one set of documents. */
export interface Row extends Omit<Question, 'query'> {
  /** The set whose documents were asked. */
  set: string
  id: string
  passages: PassageRow[]
  /** Passages that no search found: whether each holds a gold passage, and the places in `passages` of those beside it. */
  neighbours: { gold: boolean; beside: number[] }[]
  /** Passages whose document another passage names: the places of both in `passages`. */
  mentioned: { passage: number; by: number }[]
  /** By budget: tokens of the context and share of the gold passages in it, filled with all and with relevant passages. */
  filled: Record<number, Record<'all' | 'relevant', { tokens: number; recall: number }>>
}

/** Ranking on a busy machine takes longer, and must not change what is measured. */
const PATIENT = { rerank: { deadlineMs: 60_000 } }

/** Asks a question by the plan `measured`, and packs it at each budget with both kinds of filling. */
export async function askQuestion(
  { query, ...question }: Question,
  { collection, set, ports, budgets }: { collection: string; set: string; ports: PipelinePorts; budgets: number[] },
): Promise<Row> {
  const evidence = new QueryEvidence(query)
  const isAnswered = question.group === 'answered'
  const cache = new PortCache(ports)
  const filled: Row['filled'] = {}
  let ranked: Pick<Row, 'passages' | 'neighbours' | 'mentioned'> = { passages: [], neighbours: [], mentioned: [] }
  for (const fill of ['all', 'relevant'] as const) {
    const plan = overridePlan(NAMED_PLANS.measured, { ...PATIENT, packing: { fill } })
    const record = new RunRecord(() => 0)
    const asked = { query: query.query, collections: [collection], filter: query.filter, vector: null, plan }
    const caller = { apiKey: null, condition: null, tenant: null, deadline: noDeadline(), crowded: () => false }
    const context = await rankContext(asked, cache.forRun(plan.rerank.deadlineMs).ports, caller, record)
    try {
      for (const budget of budgets) {
        const run = await context.packAt(budget, record.branchAt(0))
        const found = () =>
          evidenceFigures(sharesByText(evidence.in(plainText(run.packed.context, plan.format)).golds)).recall
        const of = filled[budget] ?? { all: { tokens: 0, recall: 0 }, relevant: { tokens: 0, recall: 0 } }
        of[fill] = { tokens: run.packed.tokens, recall: isAnswered ? found() : 0 }
        filled[budget] = of
        if (fill === 'all')
          ranked = passagesOf(run, candidate => isAnswered && evidence.heldBy(candidate.chunk.text).length > 0)
      }
    } finally {
      context.release()
    }
  }
  return { ...question, set, id: query.id, ...ranked, filled }
}

function passagesOf(
  { evidence, packed: { packed, dropped } }: ContextRun,
  isGold: (candidate: Candidate) => boolean,
): Pick<Row, 'passages' | 'neighbours' | 'mentioned'> {
  const passages = evidence.passages.map(({ candidate, rerank, coverage }) => ({
    rerank,
    coverage: Math.round(coverage * 1e6) / 1e6,
    gold: isGold(candidate),
  }))
  const places = new Map(evidence.passages.map(({ candidate }, at) => [placeKey(candidate.chunk), at]))
  const candidates = [...packed, ...dropped].map(({ candidate }) => candidate)
  const neighbours = candidates
    .filter(({ origin }) => origin === 'neighbour')
    .map(candidate => ({
      gold: isGold(candidate),
      beside: neighboursOf(candidate.chunk).flatMap(place => places.get(placeKey(place)) ?? []),
    }))
  const ranked = new Map(evidence.passages.map(({ candidate }, at) => [candidate.chunk.id, at]))
  const mentioned = candidates.flatMap(({ chunk, mention }) => {
    const [passage, by] = [ranked.get(chunk.id), mention && ranked.get(mention.by.id)]
    return passage === undefined || by === undefined ? [] : [{ passage, by }]
  })
  return { passages, neighbours, mentioned }
}
