import { expect, it } from 'vitest'
import { tellApart } from '../../src/pack/source-name.ts'
import { passageOf } from '../../src/pipeline/rerank/passage.ts'
import { readChunk } from '../../src/qdrant/payload/read-chunk.ts'
import { candidate } from '../support/candidates.ts'

/** The first lines of what the reranker reads of documents, which are candidates together. */
const firstLines = (payloads: object[]) =>
  tellApart(
    payloads.map((payload, at) => candidate(readChunk({ id: at, payload: { ...payload, text: 'Keys.' } }, 'docs'))),
  ).map(one => passageOf(one).split('\n')[0])

it.each([
  ['the section', [{ doc_id: 'v2/setup.md', doc_title: 'Setup', section_path: 'Setup > Keys' }], ['Setup > Keys']],
  ['the title where there is no section', [{ doc_id: '7', doc_title: 'Setup' }], ['Setup']],
  ['the name of the file where there is no title', [{ doc_id: 'products/v2/setup.md' }], ['setup']],
  ['the folders where the file has no name', [{ doc_id: 'v2/7.md' }], ['version 2, v2']],
  ['the text alone where nothing is known', [{ doc_id: '7' }], ['Keys.']],
  [
    'the version of documents with one title',
    ['v1', 'v2'].map(folder => ({ doc_id: `${folder}/a.md`, doc_title: 'Setup', section_path: 'Setup > Keys' })),
    ['Setup (version 1, v1) > Keys', 'Setup (version 2, v2) > Keys'],
  ],
  [
    'the version of files with one name',
    ['v1/setup.md', 'v2/setup.md', 'v2/use.md'].map(source => ({ metadata: { source } })),
    ['setup (version 1, v1)', 'setup (version 2, v2)', 'use'],
  ],
  [
    'the version and the section of files with one name',
    ['v1', 'v2'].map(folder => ({ metadata: { source: `${folder}/setup.md`, 'Header 1': 'Keys' } })),
    ['setup (version 1, v1) > Keys', 'setup (version 2, v2) > Keys'],
  ],
])('the reranker reads %s', (_, payloads, lines) => expect(firstLines(payloads)).toEqual(lines))
