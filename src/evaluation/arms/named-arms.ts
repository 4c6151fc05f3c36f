import { badRequest } from '../../core/errors.ts'
import type { Plan, PlanName } from '../../pipeline/plan/plan.ts'

export type NamedPlans = Readonly<Record<PlanName, Plan>>

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
    retrieval: {
      ...retrieval,
      adaptive: false,
      spelling: false,
      namedDocuments: null,
      weights: { ...retrieval.weights, dense: 0.7, keyword: 0.3 },
    },
    fusion: { ...fusion, method: 'rrf', rrfK: 60, candidateBm25: false, denseShift: 0 },
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
      fill: 'all',
      minRelevance: 0,
      mode: 'passage',
      overflow: 'stop',
      sentenceCut: false,
      documentCap: null,
      sectionCap: null,
      noveltyAlpha: 0,
      repetition: 'off',
      repeatHeading: true,
      parentExpansion: null,
    },
  }
}

export const isNamedArm = (name: string): boolean => ARMS.has(name)

/** The plan of an arm that stowage knows by name. @throws StowageError `bad_request` for another name */
export function namedArm(name: string, plans: NamedPlans): Plan {
  const build = ARMS.get(name)
  if (build) return build(plans)
  throw badRequest(`no arm is called ${name}; there are: ${[...ARMS.keys()].join(', ')}`)
}
