import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readUnanswerable } from '../../../src/evaluation/golden-set/unanswerable.ts'
import { type QuestionGroup, questionsTo } from '../../../src/evaluation/verdicts/questions.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { goldenQuery, goldSpan } from '../support/golden.ts'

const TEXT = 'The basin is nine spans deep. The crane lifts two tons.'
const set = {
  name: 'harbour',
  documents: [
    { docId: 'd', title: 'D', text: TEXT },
    { docId: 'copy', title: 'Copy', text: `Again: the  basin is\nnine spans deep.` },
    { docId: 'e', title: 'E', text: 'The bell rings at noon.' },
  ],
  queries: [
    goldenQuery('basin', [goldSpan(TEXT, 0, 29)], { tenant: 'acme' }),
    goldenQuery('bell', [{ kind: 'text', text: 'The bell rings at noon.', place: null, grade: 1 }], {
      filter: { must: [] },
    }),
  ],
  corpusHash: '',
  hash: '',
}
const other = ['tide', 'gate', 'lamp'].map(id => goldenQuery(id, [], { tenant: 'zenith' }))
const of = (group: QuestionGroup, questions: ReturnType<typeof questionsTo>) =>
  questions.flatMap(one => (one.group === group ? one.query : []))

describe('the questions for verdicts', () => {
  it('leave out the documents of a gold passage and its copies, and keep tenant and filter', () => {
    const questions = questionsTo({ set, unanswerable: [], other: [] })
    expect(of('answered', questions)).toEqual(set.queries)
    const hidden = (...any: string[]) => [{ key: 'doc_id', match: { any } }]
    expect(of('without', questions).map(({ tenant, filter }) => ({ tenant, filter }))).toEqual([
      { tenant: 'acme', filter: { must_not: hidden('d', 'copy') } },
      { tenant: null, filter: { must: [{ must: [] }], must_not: hidden('e') } },
    ])
    expect(of('without', questionsTo({ set: { ...set, documents: [] }, unanswerable: [], other: [] }))).toEqual([])
  })

  it('ask about something else as golden questions are asked, as often, and never with questions of the set', () => {
    const asked = of('other', questionsTo({ set, unanswerable: [], other }))
    expect(asked.map(({ id, tenant, filter }) => [id, tenant, filter])).toEqual([
      ['tide', 'acme', null],
      ['gate', null, { must: [] }],
    ])
    const shared = [...other, goldenQuery('x', [], { query: 'query bell' })]
    expect(of('other', questionsTo({ set, unanswerable: [], other: shared }))).toEqual([])
  })

  it('are at most so many of each group', () => {
    const unanswerable = [goldenQuery('u1', []), goldenQuery('u2', [])]
    const groups = questionsTo({ set, unanswerable, other }, 1).map(({ group }) => group)
    expect(groups).toEqual(['answered', 'without', 'unanswerable', 'other'])
  })
})

describe('unanswerable.jsonl', () => {
  const folder = temporaryFolder('unanswerable')
  const write = (content: string) => writeFile(join(folder, 'unanswerable.jsonl'), content)

  it('is read beside queries.jsonl, and beside no other file of queries', async () => {
    await writeFile(join(folder, 'queries.jsonl'), '')
    await writeFile(join(folder, 'others.jsonl'), '')
    expect(await readUnanswerable(folder)).toEqual([])
    await write('{"id":"a","query":"Who?","unanswerable":true,"tenant":"acme"}\n\n{"id":"b","query":"When?"}')
    expect(await readUnanswerable(folder)).toEqual([
      goldenQuery('a', [], { query: 'Who?', tenant: 'acme' }),
      goldenQuery('b', [], { query: 'When?' }),
    ])
    expect(await readUnanswerable(join(folder, 'queries.jsonl'))).toHaveLength(2)
    expect(await readUnanswerable(join(folder, 'others.jsonl'))).toEqual([])
  })

  it('names every row that cannot be read', async () => {
    await write('{"id":"a","query":""}\n{"id":"b"}\nno json\n{"id":"c","query":"x"}\n{"id":"c","query":"y"}')
    const message = await readUnanswerable(folder).catch(error => String(error.message))
    for (const place of [1, 2, 3, 5]) expect(message).toContain(`unanswerable.jsonl:${place}: `)
    expect(message).toContain('4 fault(s)')
  })
})
