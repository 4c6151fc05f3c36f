import { describe, expect, it } from 'vitest'
import { ConfigError, loadConfig } from '../src/config.ts'
import { NAMED_PLANS } from '../src/pipeline/plan/named-plans.ts'
import type { Plan } from '../src/pipeline/plan/plan.ts'
import { PLAN_VALUES } from '../src/pipeline/plan/plan-values.ts'

/** Each variable of the plan with a text that no named plan has as its value, and where it must arrive. */
const CASES: readonly [variable: string, text: string, read: (plan: Plan) => unknown, expected: unknown][] = [
  ['CONTEXT_TOKEN_BUDGET', '1234', plan => plan.budgetTokens, 1234],
  ['TOKENIZER_MODEL', 'gpt-4', plan => plan.tokenizerModel, 'gpt-4'],
  ['HYBRID_VECTOR_WEIGHT', '.45', plan => plan.retrieval.weights.dense, 0.45],
  ['HYBRID_KEYWORD_WEIGHT', '0.55', plan => plan.retrieval.weights.keyword, 0.55],
  ['RETRIEVAL_K_BASE', '77', plan => plan.retrieval.weights.k, 77],
  ['FUSION_METHOD', 'rrf', plan => plan.fusion.method, 'rrf'],
  ['RERANKER', 'off', plan => plan.rerank.method, 'off'],
  ['RERANK_TOPK', '9', plan => plan.rerank.topK, 9],
  ['RERANK_BLEND', '1', plan => plan.rerank.blend, 1],
  ['RERANK_DEADLINE_MS', '250', plan => plan.rerank.deadlineMs, 250],
  ['PACKING_ANSWERABILITY_BONUS', '0', plan => plan.answerability.bonus, 0],
  ['SECTION_REUNIFICATION', 'off', plan => plan.reunification.enabled, false],
  ['QUERY_ADAPTIVE_WEIGHTS', 'on', plan => plan.retrieval.adaptive, true],
  ['MMR_ALPHA', '0.25', plan => plan.diversity.mmrAlpha, 0.25],
  ['PACKING_MODE', 'sentence', plan => plan.packing.mode, 'sentence'],
  ['PACKING_PER_DOC_CAP', '3', plan => plan.packing.documentCap, 3],
  ['PACKING_PER_SECTION_CAP', '4', plan => plan.packing.sectionCap, 4],
  ['PACKING_CAP_MODE', 'soft', plan => plan.packing.capMode, 'soft'],
  ['PACKING_NOVELTY_ALPHA', '0.75', plan => plan.packing.noveltyAlpha, 0.75],
]

function faultsOf(environment: Record<string, string>): string {
  try {
    loadConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  throw new Error('the environment was accepted')
}

describe('environment to plan', () => {
  it('is tested for every variable that sets a plan value', () => {
    const variables = PLAN_VALUES.flatMap(({ variable }) => variable ?? [])
    expect(['STOWAGE_PLAN', ...CASES.map(([variable]) => variable)].sort()).toEqual(variables.sort())
  })

  it.each(CASES)('%s=%s changes its value and no other', (variable, text, read, expected) => {
    const { plan } = loadConfig({ [variable]: text })
    expect(read(NAMED_PLANS.measured)).not.toEqual(expected)
    expect(read(plan)).toEqual(expected)
    const before = leaves(NAMED_PLANS.measured)
    const changed = Object.entries(leaves(plan)).filter(([path, value]) => before[path] !== value)
    expect(changed).toHaveLength(1)
  })

  it('takes the named plan, and lays the variables over it', () => {
    expect(loadConfig({}).plan).toEqual(NAMED_PLANS.measured)
    expect(loadConfig({ STOWAGE_PLAN: 'design' }).plan).toEqual(NAMED_PLANS.design)
    const { plan } = loadConfig({ STOWAGE_PLAN: 'design', PACKING_PER_DOC_CAP: 'off', MMR_ALPHA: 'off' })
    expect(plan).toEqual({
      ...NAMED_PLANS.design,
      diversity: { mmrAlpha: null },
      packing: { ...NAMED_PLANS.design.packing, documentCap: null },
    })
  })

  it('gives a plan that nobody can change', () => {
    const { plan } = loadConfig({ RERANK_BLEND: '0.5' })
    expect(() => Object.assign(plan.rerank, { blend: 0 })).toThrow(TypeError)
  })

  it('treats empty variables as unset', () => {
    expect(loadConfig({ RERANKER: '', PORT: '', QDRANT_URL: '' })).toEqual(loadConfig({}))
  })
})

describe('a bad environment', () => {
  it('is reported whole: each variable with its value, settings and plan alike', () => {
    const message = faultsOf({
      PORT: '99999',
      QDRANT_URL: 'qdrant:6333',
      RERANK_URL: 'https://user:hunter2@models/rerank?token=hunter2',
      RERANKER: 'crosencoder',
      RERANK_BLEND: '1.5',
      RETRIEVAL_K_BASE: '12.5',
      STOWAGE_PLAN: 'best',
      QUERY_ADAPTIVE_WEIGHTS: 'maybe',
    })
    for (const named of [
      'PORT=99999: ',
      'QDRANT_URL=qdrant:6333: ',
      'RERANK_URL=https://***@models/rerank?***: must not contain a user or password',
      'RERANKER=crosencoder: ',
      'RERANK_BLEND=1.5: ',
      'RETRIEVAL_K_BASE=12.5: ',
      'STOWAGE_PLAN=best: ',
      'QUERY_ADAPTIVE_WEIGHTS=maybe: ',
    ])
      expect(message).toContain(named)
    expect(message.split('\n')).toHaveLength(1 + 8)
    expect(message).not.toContain('hunter2')
  })

  it.each([
    ['off', /RERANK_BLEND=off: /],
    ['', null],
    ['NaN', /RERANK_BLEND=NaN: /],
    ['1e3', /RERANK_BLEND=1e3: /],
    ['-0.1', /RERANK_BLEND=-0.1: /],
  ])('refuses a weight of %j', (text, fault) => {
    if (fault === null) expect(loadConfig({ RERANK_BLEND: text }).plan.rerank.blend).toBe(0.3)
    else expect(faultsOf({ RERANK_BLEND: text })).toMatch(fault)
  })

  it('does not show secrets', () => {
    const message = faultsOf({ OPENAI_API_KEY: 'sk-secret', PORT: 'x' })
    expect(message).not.toContain('sk-secret')
  })

  it('names what is missing beside what is set', () => {
    expect(faultsOf({ EMBEDDER: 'openai', RERANKER: 'http' })).toMatch(/OPENAI_API_KEY: .*\n.*RERANK_URL: /s)
  })

  it('stops the start where isolation would be promised and not kept', () => {
    expect(faultsOf({ TENANTS_FILE: 'tenants.yaml' })).toContain('TENANTS_FILE=tenants.yaml: is not supported')
  })
})

function leaves(value: object, prefix = ''): Record<string, unknown> {
  return Object.assign(
    {},
    ...Object.entries(value).map(([key, inner]) =>
      typeof inner === 'object' && inner !== null ? leaves(inner, `${prefix}${key}.`) : { [`${prefix}${key}`]: inner },
    ),
  )
}
