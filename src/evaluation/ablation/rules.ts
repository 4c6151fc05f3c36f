import { NAMED_PLANS } from '../../pipeline/plan/named-plans.ts'
import type { PlanOverrides } from '../../pipeline/plan/override-plan.ts'
import type { Plan } from '../../pipeline/plan/plan.ts'
import { valueSwitch } from '../../pipeline/plan/value-switch.ts'

/** A rule of ranking or packing that can be switched alone. */
export interface Rule {
  /** One sentence. */
  meaning: string
  /** Plan values that switch it on. A plan that uses the rule keeps its own values of these. */
  on: PlanOverrides
  off: PlanOverrides
  isOn(plan: Plan): boolean
  /** Plan values that the rule does nothing without. They count as part of both plans that are compared. */
  requires?: PlanOverrides
  needsReranker?: true
}

const { reunification: MEASURED } = NAMED_PLANS.measured
const EXPANSION: PlanOverrides = { reunification: { enabled: true, expansion: MEASURED.expansion } }

/** The rules that an ablation switches, in the order of the pipeline. A bare plan has all of them off. */
export const RULES = {
  adaptive_weights: {
    meaning: 'Takes the weights of the lists from the intent of the query.',
    ...valueSwitch('retrieval', 'adaptive', { on: true, off: false }),
  },
  spelling: {
    meaning: 'Corrects misspelt words of the question by the words of the passages, and searches once more.',
    ...valueSwitch('retrieval', 'spelling', { on: true, off: false }),
  },
  pool_by_budget: {
    meaning: 'Asks for more candidates when the budget is large, so that it can be filled.',
    ...valueSwitch('retrieval', 'tokensPerCandidate', {
      on: NAMED_PLANS.measured.retrieval.tokensPerCandidate,
      off: null,
    }),
  },
  foreign_depth: {
    meaning: 'Asks for more hits of each list in a live collection that `stowage ingest` has not written.',
    ...valueSwitch('retrieval', 'foreignK', { on: NAMED_PLANS.measured.retrieval.foreignK, off: null }),
  },
  named_documents: {
    meaning: 'Searches once more in the documents that the question names.',
    ...valueSwitch('retrieval', 'namedDocuments', { on: NAMED_PLANS.measured.retrieval.namedDocuments, off: null }),
  },
  value_fusion: {
    meaning: 'Adds scaled scores. Off is reciprocal rank fusion, which has no BM25 over the candidates.',
    ...valueSwitch('fusion', 'method', { on: 'values', off: 'rrf' }),
  },
  candidate_bm25: {
    meaning:
      'Scores the candidates by BM25 over title, section path, context and text, with identifiers as terms of their own.',
    on: { fusion: { candidateBm25: true } },
    off: { fusion: { candidateBm25: false } },
    isOn: ({ fusion }) => fusion.method === 'values' && fusion.candidateBm25,
    requires: { fusion: { method: 'values' } },
  },
  dedupe: {
    meaning: 'Drops near-verbatim copies.',
    ...valueSwitch('dedupe', 'containment', { on: 0.9, off: null }),
  },
  reranker: {
    meaning: 'Blends the relevance of a reranker into the value.',
    on: { rerank: { method: 'crossencoder', blend: 0.3 } },
    off: { rerank: { method: 'off' } },
    isOn: ({ rerank }) => rerank.method === 'crossencoder' || rerank.method === 'http',
    needsReranker: true,
  },
  rerank_cut: {
    meaning: 'Keeps only the best candidates after reranking.',
    ...valueSwitch('rerank', 'topK', { on: 12, off: null }),
  },
  answerability: {
    meaning: 'Gives a bonus to text that looks like an answer.',
    ...valueSwitch('answerability', 'bonus', { on: 0.1, off: 0 }),
  },
  section_reunification: {
    meaning: 'Section reunification as a whole: mentions, propagation, document share, expansion and fetching.',
    on: { reunification: MEASURED },
    off: { reunification: { enabled: false } },
    isOn: ({ reunification }) => reunification.enabled,
  },
  mentions: {
    meaning: 'The first chunk of a document gains a share of the value of a passage that names its title.',
    on: { reunification: { enabled: true, mentionShare: MEASURED.mentionShare } },
    off: { reunification: { mentionShare: 0 } },
    isOn: ({ reunification: { enabled, mentionShare } }) => enabled && mentionShare > 0,
  },
  propagation: {
    meaning: 'A chunk gains a share of the mean value of its neighbours.',
    on: { reunification: { enabled: true, propagation: MEASURED.propagation } },
    off: { reunification: { propagation: 0 } },
    isOn: ({ reunification: { enabled, propagation } }) => enabled && propagation > 0,
  },
  document_share: {
    meaning: 'A chunk gains a share of the best value of its document.',
    on: { reunification: { enabled: true, documentShare: MEASURED.documentShare } },
    off: { reunification: { documentShare: 0 } },
    isOn: ({ reunification: { enabled, documentShare } }) => enabled && documentShare > 0,
  },
  expansion: {
    meaning: 'A neighbour of a candidate is worth at least a share of its value.',
    on: EXPANSION,
    off: { reunification: { expansion: 0 } },
    isOn: ({ reunification: { enabled, expansion } }) => enabled && expansion > 0,
  },
  fetched_neighbours: {
    meaning: 'Expansion fetches neighbours that were not retrieved.',
    on: { reunification: { fetch: true } },
    off: { reunification: { fetch: false } },
    isOn: ({ reunification: { enabled, expansion, fetch } }) => enabled && expansion > 0 && fetch,
    requires: EXPANSION,
  },
  document_scope: {
    meaning: 'Expansion reaches beyond the section.',
    on: { reunification: { scope: 'document' } },
    off: { reunification: { scope: 'section' } },
    isOn: ({ reunification: { enabled, expansion, scope } }) => enabled && expansion > 0 && scope === 'document',
    requires: EXPANSION,
  },
  mmr: {
    meaning: 'Prefers candidates that differ from the chosen ones.',
    ...valueSwitch('diversity', 'mmrAlpha', { on: 0.5, off: null }),
  },
  skip_overflow: {
    meaning: 'Tries the next chunk when one does not fit, in the place of an end.',
    on: { packing: { overflow: 'skip' } },
    off: { packing: { overflow: 'stop' } },
    isOn: ({ packing }) => packing.overflow === 'skip',
  },
  sentence_cut: {
    meaning:
      'Cuts the best chunk that does not fit, one of which nine tenths fit, and at the end others while there is room, to its best sentences.',
    ...valueSwitch('packing', 'sentenceCut', { on: true, off: false }),
  },
  sentence_choice: {
    meaning:
      'Asks the reranker which sentences of a chunk that is cut hold the answer. Off is the run of sentences that the words of the question choose.',
    ...valueSwitch('packing', 'sentenceChoice', { on: 'reranker', off: 'words' }),
    requires: { packing: { sentenceCut: true } },
    needsReranker: true,
  },
  heading_once: {
    meaning: 'Leaves out the heading at the beginning of a chunk where the source line has it.',
    ...valueSwitch('packing', 'repeatHeading', { on: false, off: true }),
  },
  sentence_mode: {
    meaning: 'Fills the budget with sentences, in the place of chunks.',
    ...valueSwitch('packing', 'mode', { on: 'sentence', off: 'passage' }),
  },
  novelty: {
    meaning: 'A chunk loses value by the words that are packed already.',
    ...valueSwitch('packing', 'noveltyAlpha', { on: 0.5, off: 0 }),
  },
  repetition: {
    meaning: 'Leaves out sentences that are packed already.',
    ...valueSwitch('packing', 'repetition', { on: 'section', off: 'off' }),
  },
  parent_expansion: {
    meaning: 'A parent replaces packed chunks that hold at least half of it (`--chunking parent-child`).',
    ...valueSwitch('packing', 'parentExpansion', { on: 0.5, off: null }),
  },
  document_cap: {
    meaning: 'Packs at most some chunks of one document.',
    ...valueSwitch('packing', 'documentCap', { on: 2, off: null }),
  },
  section_cap: {
    meaning: 'Packs at most some chunks of one section.',
    ...valueSwitch('packing', 'sectionCap', { on: 1, off: null }),
  },
  exact_counting: {
    meaning: 'Counts tokens, in the place of characters.',
    ...valueSwitch('packing', 'counting', { on: 'tokens', off: 'characters' }),
  },
  document_order: {
    meaning: 'Orders the blocks of the context as their documents do, in the place of relevance.',
    on: { order: 'document' },
    off: { order: 'relevance' },
    isOn: ({ order }) => order === 'document',
  },
} as const satisfies Record<string, Rule>

export type RuleName = keyof typeof RULES
export const RULE_NAMES = Object.keys(RULES) as RuleName[]
