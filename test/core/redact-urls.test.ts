import fc from 'fast-check'
import { expect, test } from 'vitest'
import { redactUrls } from '../../src/core/redact-urls.ts'

test.each([
  ['http://user:pass@qdrant:6333/prefix', 'http://***@qdrant:6333/prefix'],
  ['https://models/rerank?token=abc&x=1#y', 'https://models/rerank?***'],
  ['https://models/rerank#token', 'https://models/rerank#***'],
  ['fetch of http://u:p@a/b failed, http://c:80/d?e next', 'fetch of http://***@a/b failed, http://c:80/d?*** next'],
  ['a password with a slash: http://u:p/q@host', 'a password with a slash: http://***@host'],
  ['no URL: 12:30, a@b.c, x://', 'no URL: 12:30, a@b.c, x://'],
])('%s', (text, redacted) => {
  expect(redactUrls(text)).toBe(redacted)
})

test('leaves no user, password or query value of any URL, and keeps its host', () => {
  const word = fc.stringMatching(/^[a-z0-9]{1,8}$/)
  const secret = word.map(text => `SECRET${text}`)
  fc.assert(
    fc.property(
      fc.record({ before: word, user: secret, password: secret, host: word, path: word, query: secret }),
      parts => {
        const { before, user, password, host, path, query } = parts
        const redacted = redactUrls(
          `${before} https://${user}:${password}@${host}/${path}?key=${query}#${query} ${before}`,
        )
        expect(redacted).not.toContain('SECRET')
        expect(redacted).toBe(`${before} https://***@${host}/${path}?*** ${before}`)
      },
    ),
  )
})

test('works in linear time on what looks like the beginnings of many schemes', () => {
  const text = `${'a.'.repeat(200_000)} https://user:secret@host/`
  expect(redactUrls(text)).toBe(text.replace('user:secret', '***'))
})
