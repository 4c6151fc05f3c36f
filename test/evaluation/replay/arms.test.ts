import { describe, expect, it } from 'vitest'
import { StowageError } from '../../../src/core/errors.ts'
import { parseArms } from '../../../src/evaluation/replay/arms.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'

const planOf = (text: string) => {
  const [arm] = parseArms(text, NAMED_PLANS)
  if (!arm) throw new Error('no arm')
  return arm.plan
}
const faultOf = (text: string): string => {
  try {
    parseArms(text, NAMED_PLANS)
  } catch (error) {
    if (error instanceof StowageError && error.code === 'bad_request') return error.message
    throw error
  }
  throw new Error(`${text} was taken`)
}

describe('arms', () => {
  it('reads names and overrides between the same commas', () => {
    const arms = parseArms(
      ' topk, measured ,measured:packing.cut=false,reunification.growth=0.7,design:diversity.mmrAlpha=null',
      NAMED_PLANS,
    )
    expect(arms.map(({ name }) => name)).toEqual([
      'topk',
      'measured',
      'measured:packing.cut=false,reunification.growth=0.7',
      'design:diversity.mmrAlpha=null',
    ])
    expect(arms[2]?.plan.packing.cut).toBe(false)
    expect(arms[2]?.plan.reunification.growth).toBe(0.7)
    expect(arms[3]?.plan.diversity.mmrAlpha).toBeNull()
    expect(arms[1]?.plan.packing).toEqual(NAMED_PLANS.measured.packing)
    expect(NAMED_PLANS.measured.packing.cut).toBe(true)
  })

  it('gives topk the list that measured scores, and changes only what packs', () => {
    const topk = planOf('topk')
    const measured = planOf('measured')
    for (const part of ['retrieval', 'fusion', 'dedupe', 'rerank', 'answerability', 'format', 'order'] as const)
      expect(topk[part]).toEqual(measured[part])
    expect(topk.packing).toMatchObject({
      misfit: 'stop',
      cut: false,
      mode: 'passage',
      perDocument: null,
      perSection: null,
    })
    expect(topk.reunification).toEqual({
      ...NAMED_PLANS.measured.reunification,
      smoothing: 0,
      documentShare: 0,
      growth: 0,
    })
  })

  it('makes the baseline what the audit found', () => {
    const baseline = planOf('baseline')
    expect(baseline.retrieval).toMatchObject({ adaptive: false, weights: { dense: 0.7, keyword: 0.3 } })
    expect(baseline.fusion).toMatchObject({ method: 'rrf', rrfK: 60, poolBm25: false })
    expect(baseline.rerank.method).toBe('off')
    expect(baseline.packing).toMatchObject({ counting: 'characters', misfit: 'blind_cut' })
  })

  it('leaves no arm a deadline, unless one is asked for', () => {
    for (const arm of parseArms('baseline,topk,design,measured', NAMED_PLANS))
      expect(arm.plan.rerank.deadlineMs).toBeGreaterThanOrEqual(600_000)
    expect(planOf('measured:rerank.deadlineMs=20').rerank.deadlineMs).toBe(20)
  })

  it.each([
    ['nobody', /no arm is called nobody; there are: baseline, topk/],
    ['constructor', /no arm is called constructor/],
    [
      'measured:packing.cutt=true',
      /no plan value is called packing.cutt; there are: .*reunification.growth, .*packing.cut, /,
    ],
    ['measured:packing=true', /no plan value is called packing;/],
    ['measured:__proto__.x=1', /no plan value is called __proto__.x/],
    ['measured:budgetTokens=9', /no plan value is called budgetTokens/],
    ['measured:packing.cut=maybe', /packing.cut=maybe: /],
    ['measured:packing.cut=toString', /packing.cut=toString: /],
    ['measured:packing.misfit=sink', /packing.misfit=sink: /],
    ['measured:reunification.growth=2', /reunification.growth=2: /],
    ['measured:retrieval.presets.definition.dense=-1', /retrieval.presets.definition.dense=-1: /],
    ['measured:packing.maxMisses=1.5', /packing.maxMisses=1.5: /],
    ['measured:reunification.growth=null', /reunification.growth=null: /],
    ['packing.cut=true', /stands before any arm/],
    ['measured,topk,measured', /arm measured is given twice/],
    [' , ', /no arms given/],
  ])('refuses %s', (text, message) => {
    expect(faultOf(text)).toMatch(message)
  })
})
