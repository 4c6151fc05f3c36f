import fc from 'fast-check'
import { expect, it } from 'vitest'
import { keyHash } from '../../../src/tenants/keys.ts'
import { declared, directoryOf, faultsOf } from '../support/read-file.ts'

it.each<[name: string, text: string | Buffer, fault: RegExp]>([
  [
    '10 MB of YAML',
    `tenants:\n${'# comment\n'.repeat(1e6)}`,
    /is longer than 1048576 bytes; a larger file must be JSON/,
  ],
  ['an alias that contains itself', 'tenants: &a { t: *a }', /line 1: aliases are not supported/],
  [
    'a bomb of aliases',
    `a: &a [x,x]\n${Array.from({ length: 30 }, (_, n) => `b${n}: &b${n} [*${n ? `b${n - 1}` : 'a'}, *${n ? `b${n - 1}` : 'a'}]`).join('\n')}`,
    /aliases are not supported/,
  ],
  ['a merge key', 'tenants:\n  a: &a { keys: [] }\n  b: { <<: *a }', /line 3: aliases are not supported/],
  ['duplicate tenants', 'tenants:\n  a: {}\n  a: {}', /line 3: the key a is there twice/],
  ['duplicate fields', 'tenants:\n  a: { keys: [], "keys": [] }', /line 2: the key keys is there twice/],
  ['a tab', 'tenants:\n\ta: {}', /Tabs are not allowed as indentation/],
  ['NUL', 'tenants:\n  "a\0": {}', /line 2: a control character/],
  ['an escape sequence of a terminal', 'tenants: {} # \u001b[2J', /line 1: a control character/],
  ['no UTF-8', Buffer.from([0x74, 0x3a, 0x20, 0xff]), /is not UTF-8/],
  ['UTF-16', Buffer.from('tenants: {}', 'utf16le'), /control character|is not UTF-8/],
  ['a tag', 'tenants: !!js/function "x"', /Unresolved tag/],
  ['binary data', 'tenants: !!binary aGk=', /tenants: is of a kind that JSON does not have/],
  ['two documents', 'tenants: {}\n---\ntenants: {}', /more than one YAML document/],
  ['a key that is a list', '? [a]\n: b', /must be strings/],
  [
    'deep nesting',
    `tenants: ${'['.repeat(2_000)}${']'.repeat(2_000)}`,
    /nested too deep|Maximum call stack|is not YAML/,
  ],
  ['nothing', '', /must be a mapping with the key tenants/],
  ['a list', '- a', /must be a mapping with the key tenants/],
  ['tenants that are a list', 'tenants: [a]', /^tenants: must be a mapping$/],
  ['a name that objects have', 'tenants: { __proto__: { keys: [] } }', /tenants\.__proto__: a name has/],
])('%s is refused with a clear text', (_name, text, fault) => {
  const faults = faultsOf(text)
  expect(faults.join('\n')).toMatch(fault)
  expect(faults.length).toBeLessThanOrEqual(101)
})

it.each([
  ['10 MB', `{"tenants":{}}${' '.repeat(10e6)}`, /is longer than 8388608 bytes/],
  ['duplicate keys', '{"tenants":{"a":{},"a":{}}}', /is not JSON: duplicate key "a"/],
  ['deep nesting', `{"tenants":${'['.repeat(1e4)}${']'.repeat(1e4)}}`, /nested too deep/],
  ['an open end', '{"tenants":', /is not JSON/],
  ['a comment', '{"tenants":{}} // x', /is not JSON/],
  ['a number beyond doubles', '{"tenants":1e999}', /beyond the range of a double/],
])('JSON with %s is refused with a clear text', (_name, text, fault) => {
  expect(faultsOf(text, 'json').join('\n')).toMatch(fault)
})

it('no pattern reaches a text that could lead to another path', () => {
  const { tenants } = directoryOf(declared('t', { collections: ['w-*', '*-end', '*'], whole_collections: true }))
  const reaches = (name: string) => tenants[0]?.reaches(name)
  for (const name of ['w-1', 'w-%2F..%2Fdocs', 'w-..', 'übung', '...']) expect(reaches(name), name).toBe(true)
  for (const name of ['w-/../docs', 'w-\\..\\docs', '..', '.', 'w-\ud800', 'w-?x', 'a|b', 'w-\u0000'])
    expect(reaches(name), name).toBe(false)
})

it('thousands of faults are shown as a hundred', () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`t${n}`, 5]))
  const faults = faultsOf(JSON.stringify({ tenants: many }), 'json')
  expect(faults).toHaveLength(101)
  expect(faults.at(-1)).toBe('and 400 more faults')
})

it('any text is answered with tenants or faults, and the same JSON means the same as YAML', () => {
  const word = fc.constantFrom(
    'tenants',
    'operators',
    'a',
    'keys',
    'collections',
    'docs',
    '__proto__',
    'filter',
    'must',
    '*',
    'null',
    '{',
    'plan',
  )
  const { value } = fc.letrec(tie => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.oneof(word, fc.constant(null), fc.boolean(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string()),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(word, tie('value'), { maxKeys: 4 }),
    ),
  }))
  const file = fc.oneof(
    value,
    fc.record({
      tenants: fc.dictionary(
        fc.constantFrom('a', 'b'),
        fc.record(
          { keys: fc.constant([]), collections: fc.constant(['docs']), plan: value, filter: value },
          { requiredKeys: ['keys', 'collections'] },
        ),
      ),
    }),
  )
  fc.assert(
    fc.property(file, file => {
      const json = JSON.stringify(file)
      const asJson = faultsOf(json, 'json')
      expect(faultsOf(json, 'yaml').length > 0).toBe(asJson.length > 0)
    }),
    { numRuns: 100 },
  )
})

it('numbers of a filter keep every digit', () => {
  const text = `{"tenants":{"a":{"keys":[{"sha256":"${keyHash('k')}"}],"collections":["c"],"filter":{"must":[{"has_id":[18446744073709551615]}]}}}}`
  for (const format of ['json', 'yaml'] as const) expect(faultsOf(text, format)).toEqual([])
  const { a } = JSON.parse(text).tenants
  const tenant = directoryOf({ a: { ...a, filter: { must: [{ key: 'n', range: { gt: 0.5 } }] } } }).find('k')
  expect(tenant?.condition).toEqual({
    must: [{ key: 'tenant', match: { value: 'a' } }, { must: [{ key: 'n', range: { gt: 0.5 } }] }],
  })
})
