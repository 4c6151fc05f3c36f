import { StowageError } from '../../core/errors.ts'
import { overridePlanByText, type TextOverride } from '../../pipeline/plan/override-plan.ts'
import type { Plan, PlanName } from '../../pipeline/plan/plan.ts'

/** What replay compares: a name and what it makes of the named plans. */
export interface Arm {
  /** As written on the command line, e.g. `measured:reunification.growth=0`. */
  name: string
  plan: Plan
}

export type NamedPlans = Readonly<Record<PlanName, Plan>>

/** Long enough that no pair stays unscored: a replay measures what a plan chooses, not how busy the machine was. */
const UNHURRIED_MS = 600_000

const ARMS: Record<string, (plans: NamedPlans) => Plan> = {
  baseline: ({ measured }) => baselinePlan(measured),
  topk: ({ measured }) => topkPlan(measured),
  design: ({ design }) => design,
  measured: ({ measured }) => measured,
}

/**
 * What the audit found: rank fusion at fixed .7/.3, top-k in fused order, no reranker, char/4 token estimates and a blind cut of the last item.
 * Kind to it on purpose: its lists are as long as those of `measured`, and k is bounded by the budget alone.
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

/** Plain greedy fill of the list that `measured` scores (retrieval, fusion, dedupe, reranking and bonus alike), up to the first chunk that does not fit. */
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
 * Arms from their command-line spelling: names between commas, each followed by overrides of plan values if wanted:
 * `topk,measured,measured:packing.cut=false,reunification.growth=0` are three arms, the last with two overrides.
 * Throws `bad_request` for an unknown arm or plan value, for a value that does not fit, and for a name given twice.
 */
export function parseArms(text: string, plans: NamedPlans): Arm[] {
  const arms = splitArms(text).map(({ base, overrides }) => {
    const build = Object.hasOwn(ARMS, base) ? ARMS[base] : undefined
    if (!build)
      throw new StowageError('bad_request', `no arm is called ${base}; there are: ${Object.keys(ARMS).join(', ')}`)
    const spelled = overrides.map(({ path, value }) => `${path}=${value}`).join(',')
    const plan = build(plans)
    const unhurried = { ...plan, rerank: { ...plan.rerank, deadlineMs: UNHURRIED_MS } }
    return { name: spelled ? `${base}:${spelled}` : base, plan: overridden(unhurried, overrides) }
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
    if (!arm) throw new StowageError('bad_request', `${piece} stands before any arm; write arm:${piece}`)
    arm.overrides.push({ path, value })
  }
  return arms
}
