import { expect, it } from 'vitest'
import { keyHash } from '../../../src/tenants/keys.ts'
import { faultsOf } from '../support/read-file.ts'

const [A, B] = [keyHash('a'), keyHash('b')]
/** A tenant `t` with these lines besides its key. */
const tenant = (...lines: string[]) =>
  [
    'tenants:',
    '  t:',
    `    keys: [{ sha256: "${A}" }]`,
    '    collections: [docs]',
    ...lines.map(line => `    ${line}`),
  ].join('\n')

it.each([
  ['feild: x', 'tenants.t: unknown key feild; did you mean field?'],
  ['whole: true', /^tenants\.t: unknown key whole; known are: keys, collections, whole_collections, /],
  ['value: 7', 'tenants.t.value=7: must be text; put a number in quotes'],
  ['field: "a b"', 'tenants.t.field="a b": must be a path of plain names, such as tenant or metadata.tenant'],
  [
    'field: null; filter: { must: [1] }',
    'tenants.t.field: a tenant that writes needs one, so that its points are marked',
  ],
  ['read_only: yes', 'tenants.t.read_only="yes": must be true or false'],
  ['filter: {}', 'tenants.t.filter: has no condition, so it would match every point'],
  ['filter: { must: [], should: [] }', 'tenants.t.filter: has no condition, so it would match every point'],
  ['filter: { musst: [1] }', 'tenants.t.filter: unknown key musst; a filter has must, should, must_not, min_should'],
  ['filter: [1]', 'tenants.t.filter=…: must be a filter of Qdrant'],
  [
    'allow: [get_colection]',
    'tenants.t.allow[0]="get_colection": unknown operation get_colection; did you mean get_collection?',
  ],
  [
    'allow: [delete_collection]',
    'tenants.t.allow: delete_collection concerns the points of all tenants, so it needs whole_collections: true',
  ],
  ['plan: { packing.mod: x }', 'tenants.t.plan: unknown key packing.mod; did you mean packing.mode?'],
  ['plan: { RERANK_BLEND: 2 }', /^tenants\.t\.plan: RERANK_BLEND=2: /],
  ['plan: { rerank.blend: "2" }', /^tenants\.t\.plan: rerank\.blend=2: /],
  [
    'plan: { RERANKER: http }',
    'tenants.t.plan: RERANKER=http: the process has loaded no such reranker (RERANKER=crossencoder)',
  ],
  ['plan: { STOWAGE_PLAN: best }', 'tenants.t.plan.STOWAGE_PLAN: must be one of measured, design'],
  ['upstream_key_env: NO_SUCH', 'tenants.t.upstream_key_env: the variable NO_SUCH is not set'],
  ['rate_limit: { per_second: 5 }', 'tenants.t.rate_limit.burst: must be a whole number of 1 or more'],
  ['rate_limit: { per_second: .inf, burst: 1 }', 'tenants.t.rate_limit.per_second: must be a finite number'],
  ['concurrency: 0', 'tenants.t.concurrency=0: must be a whole number of 1 or more'],
])('%s is named with the tenant, the field and the value', (line, fault) => {
  const faults = faultsOf(tenant(...line.split('; ')))
  expect(faults).toHaveLength(1)
  expect(faults[0]).toMatch(fault)
})

it.each([
  ['field: x', 'field'],
  ['value: x', 'value'],
  ['filter: { must: [{ has_id: [1] }] }', 'filter'],
])('whole collections with a %s are refused: one of them was meant', (line, key) => {
  expect(faultsOf(tenant('whole_collections: true', line))).toEqual([
    `tenants.t.${key}: has no effect with whole_collections; leave one of them out`,
  ])
})

it('a tenant without field and filter is refused, a reader by filter alone is not', () => {
  expect(faultsOf(tenant('field: null', 'read_only: true'))).toEqual([
    'tenants.t.filter: is needed without a field: nothing else is forced',
  ])
  expect(
    faultsOf(tenant('field: null', 'read_only: true', 'filter: { must: [{ key: acl, match: { value: all } }] }')),
  ).toEqual([])
})

it('all faults of all tenants are named at once', () => {
  const faults = faultsOf(`
operator: []
tenants:
  "a b": {}
  c: 5
  d: { keys: [{ sha256: x }], collections: ["a/b"], field: null }
  e: { keys: [{ sha256: "${A}" }], collections: [docs], concurrency: no }
  f: { keys: [{ sha256: "${A}" }, { sha256: "${A.toUpperCase()}" }], collections: [docs], plan: { RERANK_BLEND: 2, RERANKER: magic } }
  g: { keys: [{ sha256: "${A}" }], collections: ["d*"], whole_collections: true }`)
  for (const named of [
    'unknown key operator; did you mean operators?',
    'tenants.a b: a name has up to 64',
    'tenants.a b.keys: is missing',
    'tenants.c=5: must be a mapping',
    'tenants.d.keys[0].sha256=(not shown): must be the 64',
    'tenants.d.collections[0]="a/b": ',
    'tenants.e.concurrency="no": ',
    'tenants.f.plan: RERANK_BLEND=2: ',
    'tenants.f.plan: RERANKER=magic: ',
    'tenants.f.keys[1].sha256: the same key as tenants.f.keys[0]',
    'tenants.g.keys[0].sha256: the same key as tenants.f.keys[0]',
    'tenants.g.whole_collections=true: f reaches the same collections ("d*" and "docs")',
  ])
    expect(faults.join('\n')).toContain(named)
})

it('no fault shows a key that stands where its hash belongs, or an upstream key', () => {
  const shown = [
    tenant('upstream_key: [hunter2]'),
    'operators: hunter2\ntenants: {}',
    'operators: [hunter2]\ntenants: {}',
    'tenants: { t: { keys: hunter2, collections: [] } }',
    'tenants: { t: { keys: [hunter2], collections: [] } }',
    'tenants: { t: { keys: [{ sha256: hunter2 }], collections: [] } }',
  ].map(text => faultsOf(text).join('\n'))
  for (const text of shown) expect(text).toMatch(/=(?:\(not shown\)|…): /)
  expect(shown.join('\n')).not.toContain('hunter2')
})

it.each([
  [
    'a key of an operator',
    `operators: [{ sha256: "${A}" }]\n${tenant()}`,
    'tenants.t.keys[0].sha256: the same key as operators[0]',
  ],
  [
    'a collection that a tenant has as a whole',
    `${tenant('whole_collections: true')}\n  u: { keys: [{ sha256: "${B}" }], collections: ["*s"], read_only: true }`,
    'tenants.t.whole_collections=true: u reaches the same collections ("docs" and "*s")',
  ],
  [
    'a collection under another field',
    `${tenant()}\n  u: { keys: [{ sha256: "${B}" }], collections: ["*s"], field: org, read_only: true }`,
    'tenants.u.field="org": t writes to the same collections ("docs" and "*s") and marks its points by tenant; tenants who share a collection need one field',
  ],
])('two tenants cannot share %s', (_name, text, fault) => {
  expect(faultsOf(text)).toEqual([fault])
})

it.each([
  ['of other collections', 'u: { keys: [], collections: [notes], field: org }'],
  ['with the same field', 'u: { keys: [], collections: [docs] }'],
  [
    'who only read by a filter',
    'u: { keys: [], collections: [docs], field: null, read_only: true, filter: { must: [1] } }',
  ],
  ['with whole collections of their own', 'u: { keys: [], collections: ["u-*"], whole_collections: true }'],
])('tenants %s fit together', (_name, other) => {
  expect(faultsOf(`${tenant()}\n  ${other}`)).toEqual([])
})

it('a tenant finds its whole collections among many patterns, whatever their order', () => {
  const names = ['a', 'ab', 'abc', 'abd', 'b', 'bc', 'z']
  for (const whole of names) {
    const others = names.map(
      name =>
        `  ${name}: { keys: [], collections: ["${name === whole ? `${name}*` : name}"]${name === whole ? ', whole_collections: true' : ''} }`,
    )
    const clashing = names.filter(name => name !== whole && name.startsWith(whole))
    expect(faultsOf(['tenants:', ...others].join('\n')).map(fault => fault.split(' ')[1])).toEqual(clashing)
  }
})
