import { expect, it } from 'vitest'
import { identifiers, joinedWords } from '../../src/text/terms/identifiers.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'

it.each([
  ['set `thread_pool_max` to 5', ['thread_pool_max']],
  ['vcl\\_hash and Beresp.Status', ['vcl_hash', 'beresp.status']],
  ['ticket ISH-4417 of version 1.2', ['ish-4417', '1.2']],
  ['std::string in /etc/exim4/conf.d', ['std::string', 'etc/exim4/conf.d']],
  ['run --dry-run of dpkg-source', ['dry-run', 'dpkg-source']],
  ['the Non-Disclosure Agreement of Anglo-Saxon lawyers', []],
  ['it ends. Then - as said - it begins: here', []],
  ['ﬁle_name Ω_max', ['file_name', 'ω_max']],
])('identifiers of %j are %j', (query, expected) => {
  expect(identifiers(query)).toEqual(expected)
})

it('are among the joined words of the same text, which have the names with hyphens too', () => {
  const text = 'the Non-Disclosure Agreement of dpkg-source and of a_b_C'
  expect(joinedWords(text)).toEqual(['non-disclosure', 'dpkg-source', 'a_b_c'])
  for (const one of identifiers(text)) expect(joinedWords(text)).toContain(one)
})

it('take linear time, and are at most 64 code units long', () => {
  for (const text of [...HOSTILE_TEXTS, 'a-'.repeat(50_000), `a${'-'.repeat(100_000)}!`, '\\_'.repeat(50_000)])
    for (const one of joinedWords(text)) expect(one.length).toBeLessThanOrEqual(64)
})
