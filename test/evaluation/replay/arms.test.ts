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
      ' topk, measured ,measured:packing.sentenceCut=false,reunification.expansion=0.7,design:diversity.mmrAlpha=null',
      NAMED_PLANS,
    )
    expect(arms.map(({ name }) => name)).toEqual([
      'topk',
      'measured',
      'measured:packing.sentenceCut=false,reunification.expansion=0.7',
      'design:diversity.mmrAlpha=null',
    ])
    expect(arms[2]?.plan.packing.sentenceCut).toBe(false)
    expect(arms[2]?.plan.reunification.expansion).toBe(0.7)
    expect(arms[3]?.plan.diversity.mmrAlpha).toBeNull()
    expect(arms[1]?.plan.packing).toEqual(NAMED_PLANS.measured.packing)
    expect(NAMED_PLANS.measured.packing.sentenceCut).toBe(true)
  })

  it('gives topk the list that measured scores, and changes only what packs', () => {
    const topk = planOf('topk')
    const measured = planOf('measured')
    for (const part of ['retrieval', 'fusion', 'dedupe', 'rerank', 'answerability', 'format', 'order'] as const)
      expect(topk[part]).toEqual(measured[part])
    expect(topk.packing).toMatchObject({
      overflow: 'stop',
      sentenceCut: false,
      mode: 'passage',
      documentCap: null,
      sectionCap: null,
    })
    expect(topk.reunification).toEqual({ ...NAMED_PLANS.measured.reunification, enabled: false })
  })

  it('makes the baseline what the audit found', () => {
    const baseline = planOf('baseline')
    expect(baseline.retrieval).toMatchObject({ adaptive: false, weights: { dense: 0.7, keyword: 0.3 } })
    expect(baseline.fusion).toMatchObject({ method: 'rrf', rrfK: 60, candidateBm25: false })
    expect(baseline.rerank.method).toBe('off')
    expect(baseline.packing).toMatchObject({ counting: 'characters', overflow: 'truncate' })
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
      /unknown plan value packing.cutt; known are: .*reunification.expansion, .*packing.sentenceCut, /,
    ],
    ['measured:packing=true', /unknown plan value packing;/],
    ['measured:__proto__.x=1', /unknown plan value __proto__.x/],
    ['measured:budgetTokens=9', /budgetTokens is set by --budgets/],
    ['measured:packing.sentenceCut=maybe', /packing.sentenceCut=maybe: /],
    ['measured:packing.sentenceCut=toString', /packing.sentenceCut=toString: /],
    ['measured:packing.overflow=sink', /packing.overflow=sink: /],
    ['measured:reunification.expansion=2', /reunification.expansion=2: /],
    ['measured:retrieval.presets.definition.dense=-1', /retrieval.presets.definition.dense=-1: /],
    ['measured:packing.maxOverflows=1.5', /packing.maxOverflows=1.5: /],
    ['measured:reunification.expansion=null', /reunification.expansion=null: /],
    ['packing.sentenceCut=true', /has no arm/],
    ['measured,topk,measured', /arm measured is given twice/],
    [' , ', /no arms given/],
  ])('refuses %s', (text, message) => {
    expect(faultOf(text)).toMatch(message)
  })
})
