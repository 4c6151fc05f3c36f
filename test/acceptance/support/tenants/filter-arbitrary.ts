import fc from 'fast-check'
import { FOREIGN_IDS, OWN_IDS } from './world.ts'

type Json = unknown

const uuidSpellings = (id: string) => [id.toUpperCase(), id.replaceAll('-', ''), `{${id}}`, `urn:uuid:${id}`]

/** Ids of acme, of others in several spellings, of nobody, and what is no id. */
export const id = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<Json>(...OWN_IDS) },
  { weight: 6, arbitrary: fc.constantFrom<Json>(...FOREIGN_IDS) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Json>(...FOREIGN_IDS.filter(id => typeof id === 'string').flatMap(uuidSpellings)),
  },
  { weight: 1, arbitrary: fc.constantFrom<Json>(999, 1000, '0f0f0f0f-0000-4000-8000-000000000001') },
  { weight: 1, arbitrary: fc.constantFrom<Json>(-1, 1.5, 'abc', null, true, {}, [], '', 1e30) },
)

export const ids = fc.array(id, { maxLength: 4 })

const FIELDS = [
  'tenant',
  'nested.tenant',
  'text',
  'n',
  'color',
  'group',
  'tags',
  'tags[]',
  'items[].k',
  'items',
  'nested.deep.text',
]
const field = fc.oneof(
  { weight: 15, arbitrary: fc.constantFrom(...FIELDS) },
  fc.constantFrom('"tenant"', 'absent', '', 'tenant.', 'nested."tenant"'),
)
const value = fc.constantFrom<Json>('acme', 'bravo', 'charlie', 'red', 'common', 'bravo-secret 0', 7_100_000, 12, true)

const match = fc.oneof(
  { weight: 4, arbitrary: fc.record({ value }) },
  { weight: 4, arbitrary: fc.record({ any: fc.array(value, { maxLength: 3 }) }) },
  { weight: 4, arbitrary: fc.record({ except: fc.array(value, { maxLength: 2 }) }) },
  { weight: 4, arbitrary: fc.record({ text: fc.constantFrom('acme', 'bravo', 'secret', 'text 1') }) },
  { weight: 4, arbitrary: fc.record({ phrase: fc.constantFrom('bravo-secret 0', 'acme-text') }) },
  { weight: 1, arbitrary: fc.record({ prefix: fc.constantFrom('bra', 'ac') }) },
)

const MALFORMED: Json[] = [
  {},
  [],
  null,
  7,
  'tenant',
  { must: 7 },
  { key: 'tenant' },
  { musts: [] },
  { must: [[]] },
  { MUST: [] },
  { filter: {} },
]

export const { filter } = fc.letrec<{ filter: Json; condition: Json }>(tie => ({
  condition: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'filter' },
    { weight: 5, arbitrary: fc.record({ key: field, match }) },
    {
      weight: 5,
      arbitrary: fc.record({ key: field, range: fc.constantFrom({ gte: 0 }, { gt: 7_000_000 }, { lt: 20 }) }),
    },
    { weight: 5, arbitrary: fc.record({ has_id: ids }) },
    { weight: 5, arbitrary: fc.record({ is_empty: fc.record({ key: field }) }) },
    { weight: 5, arbitrary: fc.record({ is_null: fc.record({ key: field }) }) },
    { weight: 5, arbitrary: fc.record({ key: field, values_count: fc.constant({ gte: 0 }) }) },
    { weight: 1, arbitrary: fc.record({ has_vector: fc.constantFrom('', 'words', 'none') }) },
    { weight: 1, arbitrary: fc.record({ slice: fc.constant({ index: 0, total: 2 }) }) },
    {
      weight: 5,
      arbitrary: fc.record({
        nested: fc.record({ key: fc.constantFrom('items', 'items[]', 'nested'), filter: tie('filter') }),
      }),
    },
    { weight: 5, arbitrary: tie('filter') },
    { weight: 1, arbitrary: fc.constantFrom(...MALFORMED) },
  ),
  filter: fc.oneof(
    { weight: 30, arbitrary: clauses(tie('condition')) },
    { weight: 1, arbitrary: fc.constantFrom(...MALFORMED) },
  ),
}))

/** Filters that would turn a forced condition round if they could. */
function clauses(condition: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  const list = fc.oneof(fc.array(condition, { maxLength: 3 }), condition)
  return fc.record(
    {
      must: list,
      should: list,
      must_not: list,
      min_should: fc.record({
        conditions: fc.array(condition, { maxLength: 3 }),
        min_count: fc.integer({ min: 0, max: 3 }),
      }),
    },
    { requiredKeys: [] },
  )
}
