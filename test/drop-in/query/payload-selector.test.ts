import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readPayloadSelector, selectPayload } from '../../../src/drop-in/query/payload-selector.ts'

const payload = '{"text":"a","n":5.0,"big":18446744073709551615,"metadata":{"text":1,"n":[ ]}}'

describe('a payload', () => {
  it.each([
    [null, null],
    ['false', null],
    ['true', payload],
    ['["metadata","text"]', '{"text":"a","metadata":{"text":1,"n":[ ]}}'],
    ['{"include":["big"]}', '{"big":18446744073709551615}'],
    ['{"exclude":["metadata","text"]}', '{"n":5.0,"big":18446744073709551615}'],
    ['["absent"]', '{}'],
  ])('is cut to with_payload %s', (selector, expected) => {
    expect(selectPayload(payload, readPayloadSelector(selector))).toBe(expected)
  })

  it('stays absent, and null stays null', () => {
    expect(selectPayload(null, { kind: 'all' })).toBeNull()
    expect(selectPayload('null', { kind: 'include', keys: new Set(['a']) })).toBe('null')
  })

  it('keeps exactly the keys asked for, with their values untouched', () => {
    const key = fc.string({ minLength: 1, unit: fc.constantFrom(...'abzAZ09_-éß東٣') })
    fc.assert(
      fc.property(
        fc.dictionary(key, fc.jsonValue()),
        fc.array(key, { minLength: 1 }),
        fc.constantFrom('include', 'exclude'),
        (object, others, kind) => {
          const keys = [...others, ...Object.keys(object).filter((_, index) => index % 2 === 0)]
          const selector = readPayloadSelector(JSON.stringify({ [kind]: keys }))
          const entries = Object.entries(object).filter(([name]) => keys.includes(name) === (kind === 'include'))
          expect(selectPayload(JSON.stringify(object), selector)).toBe(
            `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`,
          )
        },
      ),
    )
  })
})
