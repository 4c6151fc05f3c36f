import { StowageError } from '../../core/errors.ts'
import { overridePlanByText, type TextOverride } from '../../pipeline/plan/override-plan.ts'
import type { Plan, PlanName } from '../../pipeline/plan/plan.ts'

export interface Arm {
  /** As on the command line, for example `measured:reunification.expansion=0`. */
  name: string
  plan: Plan
}

export type NamedPlans = Readonly<Record<PlanName, Plan>>

/** Ten minutes: every pair is scored, so figures do not depend on the load of the machine. */
const RERANK_DEADLINE_MS = 600_000

const ARMS = new Map<string, (plans: NamedPlans) => Plan>([
  ['baseline', ({ measured }) => baselinePlan(measured)],
  ['topk', ({ measured }) => topkPlan(measured)],
  ['design', ({ design }) => design],
  ['measured', ({ measured }) => measured],
])

/**
 * The system that the audit found: rank fusion at fixed weights .7/.3, top-k in fused order, no reranker, tokens estimated as a quarter
 * of the characters, and the last chunk cut at the end. Its lists are as long as those of `measured`, and only the budget bounds k.
 */
function baselinePlan(measured: Plan): Plan {
  const { retrieval, fusion, rerank } = measured
  return {
    ...topkPlan(measured),
    order: 'relevance',
    retrieval: { ...retrieval, adaptive: false, weights: { ...retrieval.weights, dense: 0.7, keyword: 0.3 } },
    fusion: { ...fusion, method: 'rrf', rrfK: 60, candidateBm25: false },
    dedupe: { containment: null },
    rerank: { ...rerank, method: 'off', topK: null },
    answerability: { bonus: 0 },
    packing: { ...topkPlan(measured).packing, counting: 'characters', overflow: 'truncate' },
  }
}

/** Packs the candidates as `measured` scores them, from the best to the first that does not fit. */
function topkPlan(measured: Plan): Plan {
  return {
    ...measured,
    reunification: { ...measured.reunification, enabled: false },
    diversity: { mmrAlpha: null },
    packing: {
      ...measured.packing,
      mode: 'passage',
      overflow: 'stop',
      sentenceCut: false,
      documentCap: null,
      sectionCap: null,
      noveltyAlpha: 0,
    },
  }
}

/**
 * Parses arms from the command line: names between commas, each with optional overrides of plan values.
 * `topk,measured,measured:packing.sentenceCut=false,reunification.expansion=0` are three arms, the last one with two overrides.
 * @throws StowageError `bad_request` for an unknown arm or plan value, an invalid value, or an arm that is given twice
 */
export function parseArms(text: string, plans: NamedPlans): Arm[] {
  const arms = splitArms(text).map(({ base, overrides }) => {
    const build = ARMS.get(base)
    if (!build)
      throw new StowageError('bad_request', `no arm is called ${base}; there are: ${[...ARMS.keys()].join(', ')}`)
    const spelled = overrides.map(({ path, value }) => `${path}=${value}`).join(',')
    const named = build(plans)
    const plan = { ...named, rerank: { ...named.rerank, deadlineMs: RERANK_DEADLINE_MS } }
    return { name: spelled ? `${base}:${spelled}` : base, plan: overridden(plan, overrides) }
  })
  const twice = arms.find((arm, index) => arms.findIndex(other => other.name === arm.name) !== index)
  if (twice) throw new StowageError('bad_request', `arm ${twice.name} is given twice`)
  if (arms.length === 0) throw new StowageError('bad_request', 'no arms given')
  return arms
}

function overridden(base: Plan, overrides: readonly TextOverride[]): Plan {
  const budget = overrides.some(({ path }) => path === 'budgetTokens') ? ['budgetTokens is set by --budgets'] : []
  const { plan, faults } = overridePlanByText(base, overrides)
  if (faults.length + budget.length > 0) throw new StowageError('bad_request', [...budget, ...faults].join('; '))
  return plan
}

function splitArms(text: string): { base: string; overrides: TextOverride[] }[] {
  const arms: { base: string; overrides: TextOverride[] }[] = []
  for (const piece of text.split(',').map(part => part.trim())) {
    if (piece === '') continue
    const match = /^(?:([^:=]+):)?([^:=]+)=(.+)$/.exec(piece)
    if (!match) {
      arms.push({ base: piece, overrides: [] })
      continue
    }
    const [, base, path = '', value = ''] = match
    if (base !== undefined) arms.push({ base, overrides: [] })
    const arm = arms.at(-1)
    if (!arm) throw new StowageError('bad_request', `${piece} has no arm; write ARM:${piece}`)
    arm.overrides.push({ path, value })
  }
  return arms
}
