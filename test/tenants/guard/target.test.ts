import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StowageError } from '../../../src/core/errors.ts'
import { printTarget, readTarget } from '../../../src/tenants/guard/routes/target.ts'

describe('a request target', () => {
  it.each([
    ['/', '/'],
    ['/?', '/'],
    ['/collections/', '/collections'],
    ['/coll%65ctions/d%6fcs', '/collections/docs'],
    ['/collections/a%20b', '/collections/a%20b'],
    ['/collections/a b'.replace(' ', '%20'), '/collections/a%20b'],
    ['/collections/100%25', '/collections/100%25'],
    ['/collections/é'.replace('é', '%C3%A9'), '/collections/%C3%A9'],
    ['/collections/x:y@z', '/collections/x%3Ay%40z'],
    ['/x?wait=true&timeout=3', '/x?wait=true&timeout=3'],
    ['/x?w%61it=tr%75e', '/x?wait=true'],
    ['/x?with=a,b', '/x?with=a%2Cb'],
  ])('%s is sent as %s', (raw, sent) => {
    expect(printTarget(readTarget(raw))).toBe(sent)
  })

  it.each([
    ['', 'nothing'],
    ['collections', 'no slash'],
    ['*', 'the whole server'],
    ['http://qdrant/collections', 'an absolute form'],
    ['qdrant:6333', 'an authority'],
    ['//collections', 'two slashes'],
    ['/collections//docs', 'two slashes'],
    ['/collections/docs//', 'two slashes'],
    ['/collections/docs/./points', 'a dot'],
    ['/collections/docs/../other', 'two dots'],
    ['/collections/docs/..', 'two dots'],
    ['/collections/docs/%2e%2e/other', 'encoded dots'],
    ['/collections/docs/.%2E/other', 'half encoded dots'],
    ['/collections/a%2fb', 'an encoded slash'],
    ['/collections/a%2Fpoints', 'an encoded slash'],
    ['/collections/a%5cb', 'an encoded backslash'],
    ['/collections\\docs', 'a backslash'],
    ['/collections/a%00', 'a zero byte'],
    ['/collections/a%0d%0a', 'a line end'],
    ['/collections/a%7f', 'a control character'],
    ['/collections/a%252fb', 'a slash that is encoded twice'],
    ['/collections/a%2541', 'a letter that is encoded twice'],
    ['/collections/%', 'broken percent-encoding'],
    ['/collections/%zz', 'broken percent-encoding'],
    ['/collections/%c3%28', 'bytes that are not UTF-8'],
    ['/collections/%ed%a0%80', 'a lone surrogate'],
    ['/collections/é', 'a character outside ASCII'],
    ['/collections/a b', 'a space'],
    ['/collections/docs#x', 'a fragment'],
    ['/x?wait', 'a parameter without a value'],
    ['/x?=true', 'a parameter without a name'],
    ['/x?&wait=true', 'an empty parameter'],
    ['/x?wait=true&', 'an empty parameter'],
    ['/x?wait=true&w%61it=false', 'a repeated parameter'],
    ['/x?wait=true%26timeout=3', 'an encoded separator'],
    ['/x?wait=true;timeout=3', 'another separator'],
    ['/x?wait=a+b', 'a plus sign'],
    ['/x?wait=%', 'broken percent-encoding'],
    ['/x?wait=1?wait=2', 'a second question mark'],
  ])('%s is refused for %s', raw => {
    const refusal = expect.objectContaining({ code: 'bad_request' })
    expect(() => readTarget(raw)).toThrow(refusal)
  })

  it('is sent in one spelling, which reads the same', () => {
    fc.assert(
      fc.property(fc.webPath(), fc.webQueryParameters(), (path, query) => {
        const sent = sentAs(`${path}?${query}`)
        if (sent !== null) expect(sentAs(sent)).toBe(sent)
      }),
    )
  })

  it('keeps every name of a collection that Qdrant can have', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), name => {
        fc.pre(!/[/\\<>:"|?*\p{Cc}]|%[0-9a-f]{2}/iu.test(name) && !/^\.\.?$/.test(name))
        expect(readTarget(`/collections/${encodeURIComponent(name)}/points`).segments).toEqual([
          'collections',
          name,
          'points',
        ])
      }),
    )
  })
})

function sentAs(raw: string): string | null {
  try {
    return printTarget(readTarget(raw))
  } catch (error) {
    if (error instanceof StowageError) return null
    throw error
  }
}
