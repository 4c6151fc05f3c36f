import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { StowageError } from '../../../src/core/errors.ts'
import { reportArm } from '../../../src/evaluation/arms/arm.ts'
import { parseArms, parseNamedArm, readArms } from '../../../src/evaluation/arms/parse.ts'
import { planFingerprint } from '../../../src/pipeline/plan/derived.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const planOf = (text: string) => {
  const [arm] = parseArms(text, NAMED_PLANS)
  if (!arm) throw new Error('no arm')
  return arm.plan
}
const faultOf = (text: string, parse: (text: string) => unknown = given => parseArms(given, NAMED_PLANS)): string => {
  try {
    parse(text)
  } catch (error) {
    if (error instanceof StowageError && error.code === 'bad_request') return error.message
    throw error
  }
  throw new Error(`${text} was taken`)
}
const named = (text: string) => parseNamedArm(text, NAMED_PLANS)

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
    ['measured:packing.mod=true', /unknown plan value packing.mod; did you mean packing.mode\?$/],
    ['measured:packing.order=true', /unknown plan value packing.order; the closest of \d+ are: (?:[\w.]+, ){4}[\w.]+$/],
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

describe('an arm with a name of its own', () => {
  const folder = temporaryFolder('stowage-arms')
  const file = (name: string, content: unknown) => {
    const path = join(folder, name)
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
    return path
  }

  it('is a named plan with overrides, which are read as those of --arms', () => {
    const arm = named('caps=measured:packing.documentCap=2, packing.mode=sentence')
    const [same] = parseArms('measured:packing.documentCap=2,packing.mode=sentence', NAMED_PLANS)
    expect(arm).toEqual({ ...same, name: 'caps' })
  })

  it('is a plan file, with overrides behind a colon', () => {
    const path = file('tuned.json', { STOWAGE_PLAN: 'design', 'packing.mode': 'sentence', RERANK_TOPK: 7 })
    const tuned = named(`tuned=${path}`)
    if (tuned.kind !== 'plan') throw new Error('no plan')
    expect(tuned.plan).toMatchObject({ name: 'design', packing: { mode: 'sentence' }, rerank: { topK: 7 } })
    const changed = named(`x=${path}:packing.mode=passage,rerank.topK=null`)
    expect(changed).toMatchObject({ name: 'x', plan: { packing: { mode: 'passage' }, rerank: { topK: null } } })
    expect(tuned.plan.rerank.deadlineMs).toBe(600_000)
  })

  it('is a plan file without a named plan, which changes measured', () => {
    const path = file('small.yaml', 'packing.documentCap: 2\n')
    const { measured } = NAMED_PLANS
    expect(named(`small=${path}`)).toMatchObject({ plan: { name: 'measured', packing: { documentCap: 2 } } })
    expect(reportArm(named(`small=${path}:packing.documentCap=off`))).toMatchObject({
      kind: 'plan',
      url: null,
      planFingerprint: planFingerprint({ ...measured, rerank: { ...measured.rerank, deadlineMs: 600_000 } }),
    })
  })

  it('is a running stowage', () => {
    expect(named('old=http://old.example:6433/base/')).toEqual({
      kind: 'server',
      name: 'old',
      url: 'http://old.example:6433/base',
      collection: null,
    })
    const [asked] = readArms({ arms: '', named: ['old=http://old'], collection: 'docs' }, NAMED_PLANS)
    expect(asked).toMatchObject({ collection: 'docs' })
    expect(reportArm(named('new=https://new.example'))).toEqual({
      kind: 'server',
      name: 'new',
      plan: null,
      planFingerprint: null,
      url: 'https://new.example',
    })
  })

  it('stands beside the arms of --arms, and no two have one name', () => {
    const names = (arms: string, ...more: string[]) => readArms({ arms, named: more }, NAMED_PLANS).map(arm => arm.name)
    expect(names('topk', 'old=http://old:1', 'caps=measured')).toEqual(['topk', 'old', 'caps'])
    expect(names('', 'old=http://old:1')).toEqual(['old'])
    expect(() => names('topk', 'topk=measured')).toThrow(/arm topk is given twice/)
  })

  it.each([
    ['measured', /--arm measured: write NAME=SPEC/],
    ['=measured', /write NAME=SPEC/],
    ['a=', /write NAME=SPEC/],
    ['http://host/?a=b', /write NAME=SPEC/],
    ['a=nobody', /no arm is called nobody/],
    ['a=measured:packing.cutt=1', /unknown plan value packing.cutt/],
    ['a=measured:packing.mode=sentence,flat', /--arm a: flat is no override/],
    ['a=no/such/plan.json', /plan file no\/such\/plan.json: cannot be read: ENOENT/],
    ['a=./', /plan file .\/: is not a file/],
    ['a=ftp://host', /must begin with http/],
    ['a=http://', /is not a URL/],
    ['a=http://user:hunter2@host', /http:\/\/\*\*\*@host: must not contain a user or password; use --server-keys/],
    ['a=http://host?key=hunter2', /must not have a query/],
  ])('is refused: %s', (text, message) => {
    expect(faultOf(text, named)).toMatch(message)
    expect(faultOf(text, named)).not.toContain('hunter2')
  })

  it.each([
    ['{', /plan file .*bad.json: is not JSON/],
    [{ 'packing.mod': 'sentence' }, /plan file .*bad.json: unknown key packing.mod; did you mean packing.mode\?/],
    [{ 'packing.mode': 'words' }, /plan file .*bad.json: packing.mode=words: /],
    [{ STOWAGE_PLAN: 'best' }, /plan file .*bad.json.STOWAGE_PLAN: must be one of measured, design/],
    [[], /plan file .*bad.json=…: must be a mapping/],
  ])('names file, key and value of the fault in %j', (content, message) => {
    expect(faultOf(`a=${file('bad.json', content)}`, named)).toMatch(message)
  })
})
