import { NAMED_PLANS } from '../../pipeline/plan/named-plans.ts'
import type { PlanOverrides } from '../../pipeline/plan/override-plan.ts'
import type { Plan } from '../../pipeline/plan/plan.ts'

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
    on: { retrieval: { adaptive: true } },
    off: { retrieval: { adaptive: false } },
    isOn: ({ retrieval }) => retrieval.adaptive,
  },
  spelling: {
    meaning: 'Corrects misspelt words of the question by the words of the passages, and searches once more.',
    on: { retrieval: { spelling: true } },
    off: { retrieval: { spelling: false } },
    isOn: ({ retrieval }) => retrieval.spelling,
  },
  pool_by_budget: {
    meaning: 'Asks for more candidates when the budget is large, so that it can be filled.',
    on: { retrieval: { tokensPerCandidate: NAMED_PLANS.measured.retrieval.tokensPerCandidate } },
    off: { retrieval: { tokensPerCandidate: null } },
    isOn: ({ retrieval }) => retrieval.tokensPerCandidate !== null,
  },
  foreign_depth: {
    meaning: 'Asks for more hits of each list in a live collection that `stowage ingest` has not written.',
    on: { retrieval: { foreignK: NAMED_PLANS.measured.retrieval.foreignK } },
    off: { retrieval: { foreignK: null } },
    isOn: ({ retrieval }) => retrieval.foreignK !== null,
  },
  named_documents: {
    meaning: 'Searches once more in the documents that the question names.',
    on: { retrieval: { namedDocuments: NAMED_PLANS.measured.retrieval.namedDocuments } },
    off: { retrieval: { namedDocuments: null } },
    isOn: ({ retrieval }) => retrieval.namedDocuments !== null,
  },
  value_fusion: {
    meaning: 'Adds scaled scores. Off is reciprocal rank fusion, which has no BM25 over the candidates.',
    on: { fusion: { method: 'values' } },
    off: { fusion: { method: 'rrf' } },
    isOn: ({ fusion }) => fusion.method === 'values',
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
    on: { dedupe: { containment: 0.9 } },
    off: { dedupe: { containment: null } },
    isOn: ({ dedupe }) => dedupe.containment !== null,
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
    on: { rerank: { topK: 12 } },
    off: { rerank: { topK: null } },
    isOn: ({ rerank }) => rerank.topK !== null,
  },
  answerability: {
    meaning: 'Gives a bonus to text that looks like an answer.',
    on: { answerability: { bonus: 0.1 } },
    off: { answerability: { bonus: 0 } },
    isOn: ({ answerability }) => answerability.bonus > 0,
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
    on: { diversity: { mmrAlpha: 0.5 } },
    off: { diversity: { mmrAlpha: null } },
    isOn: ({ diversity }) => diversity.mmrAlpha !== null,
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
    on: { packing: { sentenceCut: true } },
    off: { packing: { sentenceCut: false } },
    isOn: ({ packing }) => packing.sentenceCut,
  },
  sentence_choice: {
    meaning:
      'Asks the reranker which sentences of a chunk that is cut hold the answer. Off is the run of sentences that the words of the question choose.',
    on: { packing: { sentenceChoice: 'reranker' } },
    off: { packing: { sentenceChoice: 'words' } },
    isOn: ({ packing }) => packing.sentenceChoice === 'reranker',
    requires: { packing: { sentenceCut: true } },
    needsReranker: true,
  },
  heading_once: {
    meaning: 'Leaves out the heading at the beginning of a chunk where the source line has it.',
    on: { packing: { repeatHeading: false } },
    off: { packing: { repeatHeading: true } },
    isOn: ({ packing }) => !packing.repeatHeading,
  },
  sentence_mode: {
    meaning: 'Fills the budget with sentences, in the place of chunks.',
    on: { packing: { mode: 'sentence' } },
    off: { packing: { mode: 'passage' } },
    isOn: ({ packing }) => packing.mode === 'sentence',
  },
  novelty: {
    meaning: 'A chunk loses value by the words that are packed already.',
    on: { packing: { noveltyAlpha: 0.5 } },
    off: { packing: { noveltyAlpha: 0 } },
    isOn: ({ packing }) => packing.noveltyAlpha > 0,
  },
  repetition: {
    meaning: 'Leaves out sentences that are packed already.',
    on: { packing: { repetition: 'section' } },
    off: { packing: { repetition: 'off' } },
    isOn: ({ packing }) => packing.repetition !== 'off',
  },
  parent_expansion: {
    meaning: 'A parent replaces packed chunks that hold at least half of it (`--chunking parent-child`).',
    on: { packing: { parentExpansion: 0.5 } },
    off: { packing: { parentExpansion: null } },
    isOn: ({ packing }) => packing.parentExpansion !== null,
  },
  document_cap: {
    meaning: 'Packs at most some chunks of one document.',
    on: { packing: { documentCap: 2 } },
    off: { packing: { documentCap: null } },
    isOn: ({ packing }) => packing.documentCap !== null,
  },
  section_cap: {
    meaning: 'Packs at most some chunks of one section.',
    on: { packing: { sectionCap: 1 } },
    off: { packing: { sectionCap: null } },
    isOn: ({ packing }) => packing.sectionCap !== null,
  },
  exact_counting: {
    meaning: 'Counts tokens, in the place of characters.',
    on: { packing: { counting: 'tokens' } },
    off: { packing: { counting: 'characters' } },
    isOn: ({ packing }) => packing.counting === 'tokens',
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
