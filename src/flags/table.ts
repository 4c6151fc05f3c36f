import type { LoadedReranker } from '../pipeline/plan/changes.ts'
import { mmrAlpha, reranks } from '../pipeline/plan/derived.ts'
import { NAMED_PLANS } from '../pipeline/plan/named-plans.ts'
import { overridePlan, type PlanOverrides } from '../pipeline/plan/override-plan.ts'
import type { Plan } from '../pipeline/plan/plan.ts'

/** What a flag does: it switches a rule, assigns variants of an experiment, or starts a second run for comparison. */
export const FLAG_KINDS = ['switch', 'experiment', 'shadow'] as const
export type FlagKind = (typeof FLAG_KINDS)[number]

/** All keys of stowage begin with it. */
export const PREFIX = 'stowage.'
/** A flag with such a key is an experiment, or a shadow run; its name follows. */
export const EXPERIMENT = `${PREFIX}experiment.`
export const SHADOW = `${PREFIX}shadow.`
/** The switch of the whole. */
export const IMPROVE = `${PREFIX}improve`
/** The switch of finding questions by their vectors. */
export const QUESTION_RELAY = `${PREFIX}question-relay`

/** The switch of one rule of the pipeline. */
export interface Switch {
  key: string
  kind: 'switch'
  /** Whether the rule is on in the plan `measured`. */
  default: boolean
  /** The rule, in one sentence. */
  guards: string
  /** The plan values that it changes. */
  values: readonly string[]
  /** The role that decides about it. */
  owner: string
  /** The version of stowage that has it first. */
  since: string
  isOn(plan: Plan): boolean
  /** The plan with the rule. A plan that has it already stays as it is. */
  on(plan: Plan, loaded: LoadedReranker): Plan
  /** The plan without the rule. */
  off(plan: Plan): Plan
}

const SINCE = '0.2.0'
/** No named plan has the rule. Measured: docs/chunking.md. */
const DEFAULT_PARENT_SHARE = 0.5
const { measured, design } = NAMED_PLANS

interface Rule {
  key: string
  guards: string
  values: readonly string[]
  isOn(plan: Plan): boolean
  /** The values that switch the rule on in a plan that is without it. */
  on: PlanOverrides | ((plan: Plan, loaded: LoadedReranker) => PlanOverrides)
  off: PlanOverrides | ((plan: Plan) => PlanOverrides)
}

function rule({ key, guards, values, isOn, on, off }: Rule): Switch {
  return {
    key: `${PREFIX}${key}`,
    kind: 'switch',
    default: isOn(measured),
    guards,
    values,
    owner: 'retrieval',
    since: SINCE,
    isOn,
    on: (plan, loaded) => (isOn(plan) ? plan : overridePlan(plan, typeof on === 'function' ? on(plan, loaded) : on)),
    off: plan => (isOn(plan) ? overridePlan(plan, typeof off === 'function' ? off(plan) : off) : plan),
  }
}

/** A reranker that the process has loaded. Without one, the plan stays as it is. */
function rerankOn(plan: Plan, loaded: LoadedReranker): PlanOverrides {
  if (loaded !== 'crossencoder' && loaded !== 'http') return {}
  return {
    rerank: { method: loaded, blend: plan.rerank.blend || measured.rerank.blend },
    diversity: { mmrAlpha: mmrAlpha(plan) },
  }
}

/** One switch for each rule of the pipeline. A rule that is switched on has the value of its plan, else that of a named plan. */
export const RULES: readonly Switch[] = [
  rule({
    key: 'adaptive-weights',
    guards: 'Weights of the lists by the intent of the query.',
    values: ['retrieval.adaptive'],
    isOn: plan => plan.retrieval.adaptive,
    on: { retrieval: { adaptive: true } },
    off: { retrieval: { adaptive: false } },
  }),
  rule({
    key: 'contextual',
    guards: 'Searching chunks with contexts, in the collections of `CONTEXTUAL_COLLECTIONS`.',
    values: ['retrieval.contextual'],
    isOn: plan => plan.retrieval.contextual,
    on: { retrieval: { contextual: true } },
    off: { retrieval: { contextual: false } },
  }),
  rule({
    key: 'candidate-bm25',
    guards: 'BM25 over the candidates.',
    values: ['fusion.candidateBm25'],
    isOn: plan => plan.fusion.candidateBm25,
    on: { fusion: { candidateBm25: true } },
    off: { fusion: { candidateBm25: false } },
  }),
  rule({
    key: 'dedupe',
    guards: 'Dropping near-verbatim copies.',
    values: ['dedupe.containment'],
    isOn: plan => plan.dedupe.containment !== null,
    on: { dedupe: measured.dedupe },
    off: { dedupe: { containment: null } },
  }),
  rule({
    key: 'rerank',
    guards:
      'Reranking by a cross-encoder or an endpoint. On needs a reranker that the process has loaded (`RERANKER`).',
    values: ['rerank.method', 'rerank.blend', 'diversity.mmrAlpha'],
    isOn: reranks,
    on: rerankOn,
    off: { rerank: { method: 'off' } },
  }),
  rule({
    key: 'answerability',
    guards: 'A bonus for text that looks like an answer.',
    values: ['answerability.bonus'],
    isOn: plan => plan.answerability.bonus > 0,
    on: { answerability: measured.answerability },
    off: { answerability: { bonus: 0 } },
  }),
  rule({
    key: 'reunification',
    guards: 'Section reunification as a whole.',
    values: ['reunification.enabled'],
    isOn: plan => plan.reunification.enabled,
    on: { reunification: { enabled: true } },
    off: { reunification: { enabled: false } },
  }),
  rule({
    key: 'score-propagation',
    guards:
      'Values that chunks gain from their neighbours, from the best chunk of their document, and from passages that name its title.',
    values: ['reunification.propagation', 'reunification.documentShare', 'reunification.mentionShare'],
    isOn: ({ reunification: { propagation, documentShare, mentionShare } }) =>
      propagation > 0 || documentShare > 0 || mentionShare > 0,
    on: {
      reunification: {
        propagation: measured.reunification.propagation,
        documentShare: measured.reunification.documentShare,
        mentionShare: measured.reunification.mentionShare,
      },
    },
    off: { reunification: { propagation: 0, documentShare: 0, mentionShare: 0 } },
  }),
  rule({
    key: 'neighbour-expansion',
    guards: 'Neighbours of good candidates, raised to a share of their value.',
    values: ['reunification.expansion'],
    isOn: plan => plan.reunification.expansion > 0,
    on: { reunification: { expansion: measured.reunification.expansion } },
    off: { reunification: { expansion: 0 } },
  }),
  rule({
    key: 'neighbour-fetch',
    guards: 'Fetching neighbours that were not retrieved.',
    values: ['reunification.fetch'],
    isOn: plan => plan.reunification.fetch,
    on: { reunification: { fetch: true } },
    off: { reunification: { fetch: false } },
  }),
  rule({
    key: 'mmr',
    guards: 'Diversity by maximal marginal relevance.',
    values: ['diversity.mmrAlpha', 'rerank.method'],
    isOn: plan => mmrAlpha(plan) !== null,
    on: { diversity: design.diversity },
    off: ({ rerank: { method } }) => ({
      diversity: { mmrAlpha: null },
      rerank: { method: method === 'mmr' ? 'off' : method },
    }),
  }),
  rule({
    key: 'novelty',
    guards: 'Lower values for chunks whose words are already packed.',
    values: ['packing.noveltyAlpha'],
    isOn: plan => plan.packing.noveltyAlpha > 0,
    on: { packing: { noveltyAlpha: design.packing.noveltyAlpha } },
    off: { packing: { noveltyAlpha: 0 } },
  }),
  rule({
    key: 'repetition',
    guards: 'Leaving out sentences that are packed already.',
    values: ['packing.repetition'],
    isOn: plan => plan.packing.repetition !== 'off',
    on: { packing: { repetition: measured.packing.repetition } },
    off: { packing: { repetition: 'off' } },
  }),
  rule({
    key: 'sentence-mode',
    guards: 'Packing sentences instead of passages.',
    values: ['packing.mode'],
    isOn: plan => plan.packing.mode === 'sentence',
    on: { packing: { mode: 'sentence' } },
    off: { packing: { mode: 'passage' } },
  }),
  rule({
    key: 'sentence-cut',
    guards: 'Cutting chunks that do not fit to their best sentences.',
    values: ['packing.sentenceCut'],
    isOn: plan => plan.packing.sentenceCut,
    on: { packing: { sentenceCut: true } },
    off: { packing: { sentenceCut: false } },
  }),
  rule({
    key: 'sentence-choice',
    guards: 'Asking the reranker which sentences of a chunk that is cut hold the answer.',
    values: ['packing.sentenceChoice'],
    isOn: plan => plan.packing.sentenceChoice === 'reranker',
    on: { packing: { sentenceChoice: 'reranker' } },
    off: { packing: { sentenceChoice: 'words' } },
  }),
  rule({
    key: 'parent-expansion',
    guards: 'A parent in place of the packed chunks that hold enough of it.',
    values: ['packing.parentExpansion'],
    isOn: plan => plan.packing.parentExpansion !== null,
    on: { packing: { parentExpansion: DEFAULT_PARENT_SHARE } },
    off: { packing: { parentExpansion: null } },
  }),
  rule({
    key: 'document-cap',
    guards: 'A cap on the chunks of one document.',
    values: ['packing.documentCap'],
    isOn: plan => plan.packing.documentCap !== null,
    on: { packing: { documentCap: design.packing.documentCap } },
    off: { packing: { documentCap: null } },
  }),
  rule({
    key: 'section-cap',
    guards: 'A cap on the chunks of one section.',
    values: ['packing.sectionCap'],
    isOn: plan => plan.packing.sectionCap !== null,
    on: { packing: { sectionCap: design.packing.sectionCap } },
    off: { packing: { sectionCap: null } },
  }),
]

/** A plan with every rule off: the fused order, packed from the best. */
export function withoutRules(plan: Plan): Plan {
  return RULES.reduce((changed, { off }) => off(changed), plan)
}

const WHOLE: Switch = {
  key: IMPROVE,
  kind: 'switch',
  default: true,
  guards:
    'The whole. Off: searches on the paths of Qdrant pass through, `/v1/context` packs with every rule off, and no experiment or shadow run takes part.',
  values: [...new Set(RULES.flatMap(({ values }) => values))],
  owner: 'operations',
  since: SINCE,
  isOn: () => true,
  on: plan => plan,
  off: withoutRules,
}

/** It decides about the question, not about the plan. */
const RELAY: Switch = {
  key: QUESTION_RELAY,
  kind: 'switch',
  default: true,
  guards:
    'Finding the question of a search by its vector, among those that were embedded through stowage (`EMBEDDINGS_RELAY_URL`).',
  values: [],
  owner: 'operations',
  since: SINCE,
  isOn: () => true,
  on: plan => plan,
  off: plan => plan,
}

/** All switches: the whole first, then its rules, then what is no rule of a plan. */
export const SWITCHES: readonly Switch[] = [WHOLE, ...RULES, RELAY]

/** The kind of flag that a key names; null for a key that stowage does not know. */
export function kindOf(key: string): FlagKind | null {
  if (SWITCHES.some(known => known.key === key)) return 'switch'
  if (key.startsWith(EXPERIMENT) && key.length > EXPERIMENT.length) return 'experiment'
  if (key.startsWith(SHADOW) && key.length > SHADOW.length) return 'shadow'
  return null
}
