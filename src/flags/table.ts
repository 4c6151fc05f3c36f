import type { LoadedReranker } from '../pipeline/plan/changes.ts'
import { mmrAlpha, reranks } from '../pipeline/plan/derived.ts'
import { NAMED_PLANS } from '../pipeline/plan/named-plans.ts'
import { overridePlan, type PlanOverrides } from '../pipeline/plan/override-plan.ts'
import type { Plan } from '../pipeline/plan/plan.ts'
import { type OnOff, type PlanSection, valueSwitch } from '../pipeline/plan/value-switch.ts'

/** What a flag does: it switches a rule, assigns variants of an experiment, or starts a second run for comparison. */
export type FlagKind = 'switch' | 'experiment' | 'shadow'

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

const SINCE = '0.1.0'
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

/** A rule that is one value of the plan, and on with every value but `off`. */
function valueRule<Section extends PlanSection, Name extends keyof Plan[Section] & string>(
  key: string,
  section: Section,
  name: Name,
  { guards, ...values }: { guards: string } & OnOff<Plan[Section][Name]>,
): Switch {
  return rule({ key, guards, values: [`${section}.${name}`], ...valueSwitch(section, name, values) })
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
  valueRule('adaptive-weights', 'retrieval', 'adaptive', {
    guards: 'Weights of the lists by the intent of the query.',
    on: true,
    off: false,
  }),
  valueRule('spelling', 'retrieval', 'spelling', {
    guards: 'Correcting misspelt words of a question by the words of the passages.',
    on: true,
    off: false,
  }),
  valueRule('contextual', 'retrieval', 'contextual', {
    guards: 'Searching chunks with contexts, in the collections of `CONTEXTUAL_COLLECTIONS`.',
    on: true,
    off: false,
  }),
  valueRule('candidate-bm25', 'fusion', 'candidateBm25', {
    guards: 'BM25 over the candidates.',
    on: true,
    off: false,
  }),
  valueRule('dedupe', 'dedupe', 'containment', {
    guards: 'Dropping near-verbatim copies.',
    on: measured.dedupe.containment,
    off: null,
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
  valueRule('answerability', 'answerability', 'bonus', {
    guards: 'A bonus for text that looks like an answer.',
    on: measured.answerability.bonus,
    off: 0,
  }),
  valueRule('reunification', 'reunification', 'enabled', {
    guards: 'Section reunification as a whole.',
    on: true,
    off: false,
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
  valueRule('neighbour-expansion', 'reunification', 'expansion', {
    guards: 'Neighbours of good candidates, raised to a share of their value.',
    on: measured.reunification.expansion,
    off: 0,
  }),
  valueRule('neighbour-fetch', 'reunification', 'fetch', {
    guards: 'Fetching neighbours that were not retrieved.',
    on: true,
    off: false,
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
  valueRule('pool-by-budget', 'retrieval', 'tokensPerCandidate', {
    guards: 'More candidates for a large budget.',
    on: measured.retrieval.tokensPerCandidate,
    off: null,
  }),
  valueRule('foreign-depth', 'retrieval', 'foreignK', {
    guards:
      'More hits of each list in collections that `stowage ingest` has not written, and of a dense list that is alone on Qdrant’s paths.',
    on: measured.retrieval.foreignK,
    off: null,
  }),
  valueRule('named-documents', 'retrieval', 'namedDocuments', {
    guards: 'One more search in the documents that the question names.',
    on: measured.retrieval.namedDocuments,
    off: null,
  }),
  valueRule('novelty', 'packing', 'noveltyAlpha', {
    guards: 'Lower values for chunks whose words are already packed.',
    on: design.packing.noveltyAlpha,
    off: 0,
  }),
  valueRule('repetition', 'packing', 'repetition', {
    guards: 'Leaving out sentences that are packed already.',
    on: measured.packing.repetition,
    off: 'off',
  }),
  valueRule('sentence-mode', 'packing', 'mode', {
    guards: 'Packing sentences instead of passages.',
    on: 'sentence',
    off: 'passage',
  }),
  valueRule('sentence-cut', 'packing', 'sentenceCut', {
    guards: 'Cutting chunks that do not fit to their best sentences.',
    on: true,
    off: false,
  }),
  valueRule('sentence-choice', 'packing', 'sentenceChoice', {
    guards: 'Asking the reranker which sentences of a chunk that is cut hold the answer.',
    on: 'reranker',
    off: 'words',
  }),
  valueRule('heading-once', 'packing', 'repeatHeading', {
    guards: 'Leaving out the heading at the beginning of a chunk where the source line has it.',
    on: false,
    off: true,
  }),
  valueRule('parent-expansion', 'packing', 'parentExpansion', {
    guards: 'A parent in place of the packed chunks that hold enough of it.',
    on: DEFAULT_PARENT_SHARE,
    off: null,
  }),
  valueRule('document-cap', 'packing', 'documentCap', {
    guards: 'A cap on the chunks of one document.',
    on: design.packing.documentCap,
    off: null,
  }),
  valueRule('section-cap', 'packing', 'sectionCap', {
    guards: 'A cap on the chunks of one section.',
    on: design.packing.sectionCap,
    off: null,
  }),
]

/** A plan with every rule off: the fused order, packed from the best. */
function withoutRules(plan: Plan): Plan {
  return RULES.reduce((changed, { off }) => off(changed), plan)
}

const WHOLE: Switch = {
  key: IMPROVE,
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
