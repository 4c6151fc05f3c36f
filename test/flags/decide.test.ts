import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IMPROVE, QUESTION_RELAY, RULES, SWITCHES } from '../../src/flags/table.ts'
import { planFingerprint, reranks } from '../../src/pipeline/plan/derived.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { overridePlan } from '../../src/pipeline/plan/override-plan.ts'
import { type Plan, planSchema } from '../../src/pipeline/plan/plan.ts'
import { PLAN_VALUES } from '../../src/pipeline/plan/plan-values.ts'
import { ANYBODY, catalogueOf, decideWith, type FakeFlag, flagSetOf, json, tenantWith } from './support/flag-set.ts'

const { measured, design } = NAMED_PLANS
const valueAt = (plan: object, path: string) =>
  path.split('.').reduce<unknown>((value, key) => Reflect.get(Object(value), key), plan)
const differences = (one: Plan, other: Plan) =>
  PLAN_VALUES.map(({ path }) => path).filter(path => valueAt(one, path) !== valueAt(other, path))
const withoutRules = RULES.reduce((plan, { off }) => off(plan), measured)
const PLANS = [
  measured,
  design,
  withoutRules,
  overridePlan(measured, { rerank: { method: 'mmr' } }),
  overridePlan(design, { rerank: { method: 'off' }, packing: { mode: 'sentence', documentCap: 7 } }),
]

describe.each(SWITCHES.map(one => [one.key, one] as const))('%s', (key, one) => {
  it('changes exactly the values that the table names, and is on or off afterwards', () => {
    for (const configured of PLANS) {
      for (const enabled of [true, false]) {
        const base = tenantWith(configured)
        const { plan, improves, findsQuestion, flags } = decideWith({ [key]: { enabled } })({
          ...ANYBODY,
          tenant: base,
        })
        expect(flags).toEqual([{ flag: key, enabled, source: 'unleash', variant: null }])
        expect(one.values).toEqual(expect.arrayContaining(differences(configured, plan)))
        expect(planSchema.safeParse(plan).error).toBeUndefined()
        if (key !== IMPROVE && key !== QUESTION_RELAY) expect(one.isOn(plan)).toBe(enabled)
        expect(findsQuestion).toBe(enabled || (key !== IMPROVE && key !== QUESTION_RELAY))
        expect(improves).toBe(key !== IMPROVE || enabled)
        if (one.isOn(configured) === enabled) expect(plan).toEqual(configured)
        else expect(Object.isFrozen(plan.packing)).toBe(true)
      }
    }
  })

  it('is off by the kill switch, whatever the source and a payload say', () => {
    const values = { 'packing.mode': 'sentence', 'dedupe.containment': 0.5, RERANKER: 'crossencoder', MMR_ALPHA: 0.3 }
    const flags: Record<string, FakeFlag> = {
      [key]: { enabled: true },
      'stowage.experiment.e': {
        enabled: true,
        gets: 't',
        variants: [{ name: 'control' }, { name: 't', payload: json(values) }],
      },
    }
    const { plan, flags: decided, improves, findsQuestion } = decideWith(flags, { off: [key] })(ANYBODY)
    expect(decided).toContainEqual({ flag: key, enabled: false, source: 'kill_switch', variant: null })
    const isOn = { [IMPROVE]: improves, [QUESTION_RELAY]: findsQuestion }[key] ?? one.isOn(plan)
    expect(isOn).toBe(false)
    if (key === QUESTION_RELAY) return
    const withoutSource = decideWith(null, { off: [key] })(ANYBODY)
    expect(key === IMPROVE ? withoutSource.plan : one.isOn(withoutSource.plan)).toEqual(
      key === IMPROVE ? withoutRules : false,
    )
  })
})

it('takes the steps in their order: plan of the tenant, switches, experiment, kill switch', () => {
  const sources = fc.record({
    tenant: fc.constantFrom(null, measured, design),
    flags: fc.dictionary(fc.constantFrom(...RULES.map(({ key }) => key)), fc.boolean()),
    treatment: fc.constantFrom(null, { 'packing.mode': 'sentence' }, { RERANKER: 'off', MMR_ALPHA: 0.2 }),
    off: fc.subarray(RULES.map(({ key }) => key)),
  })
  fc.assert(
    fc.property(sources, ({ tenant, flags, treatment, off }) => {
      let expected: Plan = tenant ?? measured
      for (const one of RULES) {
        if (off.includes(one.key) || flags[one.key] === false) expected = one.off(expected)
        else if (flags[one.key] === true) expected = one.on(expected, 'crossencoder')
      }
      if (treatment?.['packing.mode']) expected = overridePlan(expected, { packing: { mode: 'sentence' } })
      if (treatment?.RERANKER)
        expected = overridePlan(expected, { rerank: { method: 'off' }, diversity: { mmrAlpha: 0.2 } })
      for (const one of RULES) if (off.includes(one.key)) expected = one.off(expected)
      const fakes: Record<string, FakeFlag> = Object.fromEntries(
        Object.entries(flags).map(([key, enabled]) => [key, { enabled }]),
      )
      if (treatment !== null)
        fakes['stowage.experiment.e'] = {
          enabled: true,
          gets: 't',
          variants: [{ name: 'control' }, { name: 't', payload: json(treatment) }],
        }
      const subject = { tenant: tenant && tenantWith(tenant), sessionId: 's' }
      const decide = decideWith(fakes, { off })
      const decided = decide(subject)
      expect(decided.plan).toEqual(expected)
      expect(decide(subject).plan).toBe(decided.plan)
    }),
  )
})

describe('the whole', () => {
  it('off: every rule is off, and no experiment or shadow run takes part', () => {
    const flags: Record<string, FakeFlag> = {
      [IMPROVE]: { enabled: false },
      'stowage.mmr': { enabled: true },
      'stowage.experiment.e': { enabled: true, gets: 'control', variants: [{ name: 'control' }] },
      'stowage.shadow.s': { enabled: true, gets: 't', variants: [{ name: 't', payload: json({ MMR_ALPHA: 0.1 }) }] },
    }
    const decision = decideWith(flags)(ANYBODY)
    expect(decision).toMatchObject({ improves: false, assignment: null, shadow: null })
    expect(RULES.filter(one => one.isOn(decision.plan))).toEqual([])
    expect(decideWith(flags, { off: [IMPROVE] })(ANYBODY).flags).toEqual([
      { flag: IMPROVE, enabled: false, source: 'kill_switch', variant: null },
    ])
  })
})

describe('a reranker', () => {
  it('is switched on only where the process has one', () => {
    const off = tenantWith(overridePlan(measured, { rerank: { method: 'off', blend: 0 } }))
    const on = decideWith({ 'stowage.rerank': { enabled: true } })
    expect(reranks(on({ ...ANYBODY, tenant: off }).plan)).toBe(true)
    const configured = overridePlan(measured, { rerank: { method: 'off' } })
    const without = decideWith({ 'stowage.rerank': { enabled: true } }, { configured })
    expect(without(ANYBODY).plan).toEqual(configured)
    expect(catalogueOf(flagSetOf({ 'stowage.rerank': { enabled: true } }), { loaded: 'off' }).faults).toEqual([
      'stowage.rerank: is on, but the process has loaded no reranker (RERANKER=off)',
    ])
  })
})

it('two decisions have the same fingerprint exactly when their plans are the same', () => {
  const decide = decideWith({ 'stowage.dedupe': { enabled: false } })
  expect(planFingerprint(decide(ANYBODY).plan)).not.toBe(planFingerprint(measured))
  expect(planFingerprint(decide(ANYBODY).plan)).toBe(planFingerprint(decide(ANYBODY).plan))
  expect(decideWith({ 'stowage.dedupe': { enabled: true } })(ANYBODY).plan).toEqual(measured)
})
