import { describe, expect, it, test } from 'vitest'
import type { Chunk } from '../../../src/core/types.ts'
import { codeFile, codeLanguageOf, extensionOf } from '../../../src/text/code/file-language.ts'
import { chunk as anyChunk } from '../../support/candidates.ts'
import { PYTHON } from './samples.ts'

test.each([
  ['ferry.py', 'py', { kind: 'code', language: 'python' }],
  ['a.b/Ferry.SQL', 'sql', { kind: 'code', language: 'sql' }],
  ['ferry.yml', 'yml', { kind: 'settings', language: 'yaml' }],
  ['ferry.conf.sample', 'conf', { kind: 'settings', language: '' }],
  ['/srv/.env', 'env', { kind: 'settings', language: 'sh' }],
  ['.env.example', 'env', { kind: 'settings', language: 'sh' }],
  ['.env.local', 'local', { kind: 'settings', language: '' }],
  ['.bashrc', 'bashrc', { kind: 'settings', language: '' }],
  ['.ropes.json', 'json', { kind: 'settings', language: 'json' }],
  ['ferry.pdf', 'pdf', null],
  ['.config/ferry', '', null],
  ['ferry.constructor', 'constructor', null],
  ['ferry', '', null],
])('what %s holds', (name, extension, file) => {
  expect([extensionOf(name), codeFile(name)]).toEqual([extension, file])
})

describe('a chunk', () => {
  const prose = 'The ferry leaves at noon.'
  const chunk = (over: Partial<Chunk>) => anyChunk({ header: '', ...over })

  it('is of code when its document is called as its file is', () => {
    expect(codeLanguageOf(chunk({ docId: 'src/ferry.py', docTitle: 'ferry.py', text: prose }))).toBe('python')
    expect(codeLanguageOf(chunk({ docId: 'C:\\src\\ferry.py', docTitle: 'ferry.py', text: prose }))).toBe('python')
  })

  it('is of code when its text looks like code, and the path says its language', () => {
    expect(codeLanguageOf(chunk({ docId: 'src/ferry.py', docTitle: '', text: PYTHON }))).toBe('python')
    expect(codeLanguageOf(chunk({ docId: 'guide', docTitle: '', text: PYTHON }))).toBeNull()
  })

  it('of a page of the web is none', () => {
    const page = { docId: 'https://ferry.example/index.php', docTitle: 'The ferry', text: prose }
    expect(codeLanguageOf(chunk(page))).toBeNull()
    expect(codeLanguageOf(chunk({ ...page, docTitle: '' }))).toBeNull()
  })

  it('of a page about a file, below its heading, is none', () => {
    const page = { docId: 'guide/ferry.json', docTitle: 'ferry.json', text: prose }
    expect(codeLanguageOf(chunk({ ...page, header: '# ferry.json' }))).toBeNull()
    expect(codeLanguageOf(chunk(page))).toBe('json')
  })
})
