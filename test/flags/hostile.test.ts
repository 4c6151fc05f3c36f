import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDecide } from '../../src/flags/decide.ts'
import { readPayload } from '../../src/flags/payloads.ts'
import type { FlagPayload } from '../../src/flags/provider.ts'
import { SWITCHES } from '../../src/flags/table.ts'
import { readPlanChanges } from '../../src/pipeline/plan/changes.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { planSchema } from '../../src/pipeline/plan/plan.ts'
import { ANYBODY, catalogueOf, decideWith, flagSetOf, json } from './support/flag-set.ts'

const { measured } = NAMED_PLANS
const KEY = 'stowage.dedupe'
const withPayload = (payload: FlagPayload) => ({
  [KEY]: { enabled: true, gets: 'v', variants: [{ name: 'v', payload }] },
})
const faultsOf = (payload: FlagPayload) => catalogueOf(flagSetOf(withPayload(payload))).faults

it.each<[string, FlagPayload, RegExp]>([
  ['no JSON', { type: 'json', value: '{' }, /^stowage\.dedupe, variant v: the payload is not JSON$/],
  ['a list', { type: 'json', value: '[]' }, /must be a mapping/],
  ['null', { type: 'json', value: 'null' }, /must be a mapping/],
  ['100 kB and more', json({ TOKENIZER_MODEL: 'x'.repeat(100_001) }), /longer than 100000 characters/],
  ['a long value', json({ 'packing.mode': 'x'.repeat(90_000) }), /packing\.mode=x{60}…: /],
  ['a long key', json({ ['x'.repeat(90_000)]: 1 }), /unknown key x{100}; the closest of /],
  [
    'thousands of keys',
    json(Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, 1]))),
    /and 4990 more/,
  ],
  ['deep nesting', { type: 'json', value: `{"packing":${'['.repeat(40_000)}${']'.repeat(40_000)}}` }, /./],
  ['a nested value', json({ packing: { mode: 'sentence' } }), /unknown key packing; /],
  ['an object as text', json({ TOKENIZER_MODEL: {} }), /TOKENIZER_MODEL=…: must be text, a number/],
  ['a number that is none', { type: 'json', value: '{"RERANK_BLEND": NaN}' }, /is not JSON/],
  ['an infinite number', { type: 'json', value: '{"RERANK_BLEND": 1e999}' }, /RERANK_BLEND=Infinity: /],
  ['a prototype', { type: 'json', value: '{"__proto__": {"packing.mode": "sentence"}}' }, /__proto__/],
  ['a constructor', { type: 'json', value: '{"constructor": 1, "packing.constructor": 2}' }, /unknown key constructor/],
  ['a value twice', json({ 'packing.mode': 'sentence', PACKING_MODE: 'passage' }), /set twice/],
  [
    'thresholds in the wrong order',
    json({ 'verdict.uncertain': 0.9 }),
    /verdict\.uncertain=0\.9: must be at most verdict/,
  ],
  ['an unknown plan', { type: 'string', value: 'best' }, /no plan is called "best"; known are: measured, design$/],
  ['a plan by a prototype', { type: 'string', value: '__proto__' }, /no plan is called "__proto__"/],
  ['another type', { type: 'csv', value: 'a,b' }, /a payload of type csv has no meaning/],
  ['a reranker that is not loaded', json({ RERANKER: 'http' }), /the process has loaded no such reranker/],
])('a payload with %s is a fault, and leaves the plan as it is', (_name, payload, fault) => {
  const faults = faultsOf(payload)
  expect(faults.join('\n')).toMatch(fault)
  for (const line of faults) expect(line.length).toBeLessThan(5_000)
  expect(decideWith(withPayload(payload))(ANYBODY).plan).toEqual(measured)
  expect(Reflect.get({}, 'packing.mode')).toBeUndefined()
})

it.each([
  [{ type: 'string', value: 'design' }, 'flag: the plan design reranks with crossencoder: the process has'],
  [json({ STOWAGE_PLAN: 'measured' }), 'flag: the plan measured reranks with crossencoder: the process has'],
  [json({ 'rerank.method': 'http' }), 'flag: rerank.method=http: the process has'],
])('names what was written when the process has no such reranker: %j', (payload, fault) => {
  const { faults } = readPayload(payload, 'flag', { loaded: 'off', plans: new Map(), newStepId: () => '' })
  expect(faults).toEqual([`${fault} loaded no such reranker (RERANKER=off)`])
})

it('any payload gives a plan of the schema, or a fault and the plan of before', () => {
  const keys = fc.oneof(
    fc.constantFrom('packing.mode', 'RERANK_BLEND', 'MMR_ALPHA', 'STOWAGE_PLAN', '__proto__'),
    fc.string(),
  )
  const values = fc.oneof(
    fc.json().map(text => JSON.parse(text)),
    fc.constantFrom('sentence', 0.5, 'off', 'design', null),
  )
  fc.assert(
    fc.property(fc.dictionary(keys, values), given => {
      const payload = json(given)
      const { plan } = decideWith(withPayload(payload))(ANYBODY)
      expect(planSchema.safeParse(plan).error).toBeUndefined()
      if (faultsOf(payload).length > 0) expect(plan).toEqual(measured)
      else expect(readPlanChanges(JSON.parse(payload.value), 'x', 'crossencoder').faults).toEqual([])
    }),
  )
})

describe('a source that fails', () => {
  const failing = (over: object) =>
    createDecide({
      configured: measured,
      off: new Set(['stowage.mmr']),
      catalogue: () => ({ ...catalogueOf(flagSetOf({ [KEY]: { enabled: false } })), ...over }),
      isRolledBack: () => false,
      newSessionId: () => 's',
    })

  it('leaves the kill switch and the plan', () => {
    const boom = () => {
      throw new Error('boom')
    }
    const broken = failing({ flags: { ...flagSetOf({}), evaluate: boom } })
    expect(broken(ANYBODY)).toMatchObject({ plan: measured, improves: true, assignment: null })
    expect(broken(ANYBODY).flags.map(({ source }) => source)).toEqual(['kill_switch'])
    expect(failing({ stepOf: boom })(ANYBODY).plan).toEqual(measured)
  })
})

describe('what is wrong with names', () => {
  it.each([
    ['stowage.dedup', 'unknown flag stowage.dedup; did you mean stowage.dedupe?'],
    ['rerank', 'rerank: stowage reads stowage.rerank; did you mean that?'],
    ['experiment.blend', 'experiment.blend: stowage reads stowage.experiment.blend; did you mean that?'],
    ['stowage.whatever', /^unknown flag stowage\.whatever; known are: stowage\.improve, /],
  ])('%s', (key, fault) => {
    const { faults } = catalogueOf(flagSetOf({ [key]: { enabled: true } }, 'file'))
    expect(faults).toEqual([typeof fault === 'string' ? fault : expect.stringMatching(fault)])
  })

  it('does not mind flags of other applications', () => {
    const theirs = ['checkout.v2', 'dark_mode', 'experiment.checkout', 'shadow.prices', 'spelling']
    expect(catalogueOf(flagSetOf(Object.fromEntries(theirs.map(key => [key, { enabled: true }])))).faults).toEqual([])
    expect(
      catalogueOf(flagSetOf(Object.fromEntries(SWITCHES.map(({ key }) => [key, { enabled: true }])))).faults,
    ).toEqual([])
  })
})
