import { describe, expect, it } from 'vitest'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { overridePlan } from '../../src/pipeline/plan/override-plan.ts'
import { ANYBODY, catalogueOf, decideWith, type FakeFlag, flagSetOf, json, tenantWith } from './support/flag-set.ts'

const { measured } = NAMED_PLANS
const KEY = 'stowage.experiment.blend'
const experiment = (gets: string, over: Partial<FakeFlag> = {}): FakeFlag => ({
  enabled: true,
  gets,
  variants: [
    { name: 'control', weight: 900, stickiness: 'sessionId' },
    { name: 'half', weight: 100, stickiness: 'sessionId', payload: json({ RERANK_BLEND: 0.5 }) },
  ],
  ...over,
})

describe('an experiment', () => {
  it('gives the treatment its plan, and tells experiment, variant, unit and share', () => {
    const decide = decideWith({ [KEY]: experiment('half') })
    const { plan, assignment, flags } = decide({ tenant: null, sessionId: 's' })
    expect(assignment).toEqual({ experiment: 'blend', variant: 'half', unit: 'session', share: 0.1 })
    expect(plan).toEqual(overridePlan(measured, { rerank: { blend: 0.5 } }))
    expect(flags).toEqual([{ flag: KEY, enabled: true, source: 'unleash', variant: 'half' }])
    expect(decide(ANYBODY).assignment?.unit).toBe('request')
  })

  it('leaves the plan of the control as it is', () => {
    const { plan, assignment } = decideWith({ [KEY]: experiment('control') })(ANYBODY)
    expect(assignment).toMatchObject({ variant: 'control', share: 0.9 })
    expect(plan).toBe(measured)
  })

  it('that is rolled back gives everyone the control, with the whole as its share', () => {
    const isRolledBack = (name: string) => name === 'blend'
    const { plan, assignment } = decideWith({ [KEY]: experiment('half') }, { isRolledBack })(ANYBODY)
    expect(assignment).toMatchObject({ experiment: 'blend', variant: 'control', share: 1 })
    expect(plan).toBe(measured)
  })

  it('is the first enabled one by name, and a request outside of all has no assignment', () => {
    const others = {
      'stowage.experiment.a': experiment('half', { enabled: false }),
      'stowage.experiment.c': experiment('half'),
    }
    const { assignment, flags } = decideWith({ ...others, [KEY]: experiment('control') })(ANYBODY)
    expect(assignment?.experiment).toBe('blend')
    expect(flags.map(({ flag, enabled }) => [flag, enabled])).toEqual([
      ['stowage.experiment.a', false],
      [KEY, true],
    ])
    expect(decideWith({ [KEY]: experiment('half', { enabled: false }) })(ANYBODY).assignment).toBeNull()
  })

  it('is stopped by its own kill switch', () => {
    const decision = decideWith({ [KEY]: experiment('half') }, { off: [KEY] })(ANYBODY)
    expect(decision).toMatchObject({ plan: measured, assignment: null })
    expect(decision.flags).toEqual([{ flag: KEY, enabled: false, source: 'kill_switch', variant: null }])
  })

  it.each([
    ['no control', [{ name: 'half' }, { name: 'whole' }]],
    ['no variants', []],
    [
      'a bad payload in any variant',
      [{ name: 'control' }, { name: 'half' }, { name: 'bad', payload: json({ nope: 1 }) }],
    ],
    ['a name that no header can hold', [{ name: 'control' }, { name: 'half' }, { name: 'a\nb' }]],
    ['an unknown stickiness', [{ name: 'control', stickiness: 'country' }, { name: 'half' }]],
  ])('does not run with %s', (_fault, variants) => {
    const { plan, assignment } = decideWith({ [KEY]: { enabled: true, gets: 'half', variants } })(ANYBODY)
    expect([plan, assignment]).toEqual([measured, null])
  })
})

it.each(['stowage.experiment.draft', 'stowage.shadow.draft'])(
  '%s without variants is a fault only while it is on',
  key => {
    const faultsOf = (enabled: boolean) => catalogueOf(flagSetOf({ [key]: { enabled } })).faults
    expect(faultsOf(false)).toEqual([])
    expect(faultsOf(true)).toEqual([`${key}: has no variants`])
    expect(decideWith({ [key]: { enabled: false } })(ANYBODY)).toMatchObject({
      plan: measured,
      assignment: null,
      shadow: null,
    })
  },
)

describe('the unit of an assignment', () => {
  const tenant = tenantWith(measured)
  it.each([
    ['sessionId', { tenant, sessionId: 's' }, 'session'],
    ['sessionId', { tenant, sessionId: null }, 'request'],
    ['userId', { tenant, sessionId: 's' }, 'tenant'],
    ['tenant', { tenant, sessionId: 's' }, 'tenant'],
    ['tenant', { tenant: null, sessionId: 's' }, 'request'],
    ['default', { tenant, sessionId: 's' }, 'tenant'],
    ['default', { tenant: null, sessionId: 's' }, 'session'],
    ['default', { tenant: null, sessionId: null }, 'request'],
    ['random', { tenant, sessionId: 's' }, 'request'],
  ] as const)('by %s of %j is the %s', (stickiness, subject, unit) => {
    const variants = [
      { name: 'control', stickiness },
      { name: 'half', stickiness },
    ]
    const { assignment } = decideWith({ [KEY]: { enabled: true, gets: 'half', variants } })(subject)
    expect(assignment?.unit).toBe(unit)
  })
})

describe('a shadow run', () => {
  const shadow = (gets: string): FakeFlag => ({
    enabled: true,
    gets,
    variants: [{ name: 'control' }, { name: 'sentences', payload: json({ PACKING_MODE: 'sentence' }) }],
  })

  it('has the plan of the request with the values of the variant, and does not change the answer', () => {
    const {
      plan,
      shadow: second,
      assignment,
    } = decideWith({
      [KEY]: experiment('half'),
      'stowage.shadow.mode': shadow('sentences'),
    })(ANYBODY)
    expect(assignment?.variant).toBe('half')
    expect(second).toEqual({
      experiment: 'mode',
      variant: 'sentences',
      plan: overridePlan(plan, { packing: { mode: 'sentence' } }),
    })
  })

  it('does not turn on what the kill switch turns off, and does not run for the control', () => {
    const off = ['stowage.sentence-mode']
    expect(decideWith({ 'stowage.shadow.mode': shadow('sentences') }, { off })(ANYBODY).shadow?.plan.packing.mode).toBe(
      'passage',
    )
    expect(decideWith({ 'stowage.shadow.mode': shadow('control') })(ANYBODY).shadow).toBeNull()
  })
})

it('a replay takes part in no experiment and has no shadow; switches, the tenant and the kill switch hold for it', () => {
  const flags: Record<string, FakeFlag> = {
    'stowage.dedupe': { enabled: false },
    [KEY]: experiment('half'),
    'stowage.shadow.mode': { ...experiment('half') },
  }
  const off = ['stowage.sentence-mode']
  const plan = overridePlan(measured, { packing: { mode: 'sentence' }, rerank: { topK: 7 } })
  const subject = { tenant: tenantWith(plan), sessionId: 's' }
  const [asked, replayed] = [{}, { isReplay: true }].map(more => decideWith(flags, { off })({ ...subject, ...more }))
  expect([asked?.assignment?.variant, asked?.shadow?.variant, asked?.plan.rerank.blend]).toEqual(['half', 'half', 0.5])
  expect([replayed?.assignment, replayed?.shadow]).toEqual([null, null])
  const { packing, dedupe, rerank } = replayed?.plan ?? measured
  expect([packing.mode, dedupe.containment, rerank.topK, rerank.blend]).toEqual(['passage', null, 7, plan.rerank.blend])
})
