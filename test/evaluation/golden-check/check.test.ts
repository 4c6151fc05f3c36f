import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkGoldenSet, checkHalves } from '../../../src/evaluation/golden-check/check.ts'
import type { PlacedQuery } from '../../../src/evaluation/golden-check/finding.ts'
import { findingsText } from '../../../src/evaluation/golden-check/findings-text.ts'
import { checkGolds } from '../../../src/evaluation/golden-check/golds.ts'
import { similarQuestions } from '../../../src/evaluation/golden-check/questions.ts'
import type { GoldPassage } from '../../../src/evaluation/golden-set/evidence.ts'
import type { ExaminedSet, GoldenQuery } from '../../../src/evaluation/golden-set/golden-set.ts'
import type { QueryRow } from '../../../src/evaluation/golden-set/rows.ts'
import { goldenQuery, goldSpan } from '../support/golden.ts'

const text =
  'The copper lamp burns for nine hours. The bell rings at noon. --- Nobody may enter the lower hall at night.'
const lamp = goldSpan(text, 0, 37)
const bell = goldSpan(text, 38, 61)
const hall = goldSpan(text, 66, text.length)

function examined(queries: GoldenQuery[], golds: Partial<QueryRow>[] = [], name = 'set'): ExaminedSet {
  const rows = queries.map((query, at) => ({
    place: `queries.jsonl:${at + 1}`,
    row: { ...query, gold: query.goldPassages.map(() => ({ doc_id: 'd' })), ...golds[at] },
  }))
  const set = { name, documents: [{ docId: 'd', title: 'D', text }], queries, corpusHash: '', hash: '' }
  return { set, rows, faults: [] }
}

const limits = { largestBudget: 50, countTokens: (long: string) => long.length }
const found = (set: ExaminedSet) =>
  checkGoldenSet(set, limits).map(({ place, code, severity }) => [place.slice('queries.jsonl:'.length), code, severity])

const asked = (id: string, query: string, golds: GoldPassage[], changes: Partial<GoldenQuery> = {}) =>
  goldenQuery(id, golds, { query, split: 'test', ...changes })

describe('checking golden sets', () => {
  it('finds golds without words, golds beyond the budget, and golds that overlap or repeat', () => {
    const sameWords: GoldPassage = { kind: 'text', text: 'the BELL rings, at noon', place: null, grade: 1 }
    const set = examined([
      asked('clean', 'how long does the lamp burn?', [lamp]),
      asked('empty', 'what is between?', [goldSpan(text, 62, 65)]),
      asked('long', 'everything?', [goldSpan(text, 0, text.length)]),
      asked('inside', 'when?', [goldSpan(text, 40, 50), bell]),
      asked('repeated', 'noon?', [bell, sameWords]),
      asked('touching', 'both?', [lamp, goldSpan(text, 37, 61)]),
    ])
    expect(found(set)).toEqual([
      ['2', 'gold_without_words', 'error'],
      ['3', 'gold_too_long', 'warning'],
      ['4', 'gold_overlap', 'warning'],
      ['5', 'gold_overlap', 'warning'],
    ])
    const overlaps = checkGoldenSet(set, limits).filter(({ code }) => code === 'gold_overlap')
    expect(overlaps.map(one => one.text)).toEqual(['gold.0 is inside gold.1', 'gold.1 repeats gold.0'])
  })

  it('finds texts that changed since they were marked, and bare texts that no document holds', () => {
    const bare = (words: string): GoldPassage => ({ kind: 'text', text: words, place: null, grade: 1 })
    const set = examined(
      [
        asked('same', 'one?', [lamp]),
        asked('changed', 'two?', [bell]),
        asked('there', 'three?', [bare('Nobody may enter the lower hall at night')]),
        asked('gone', 'four?', [bare('Nobody may leave the upper hall by day')]),
      ],
      [
        { gold: [{ doc_id: 'd', text: 'the copper lamp burns for nine hours' }] },
        { gold: [{ doc_id: 'd', text: 'The bell rings at ten.' }] },
      ],
    )
    expect(found(set)).toEqual([
      ['2', 'gold_changed', 'warning'],
      ['4', 'gold_missing', 'error'],
    ])
  })

  it('finds answers whose terms the gold passages lack, and leaves verdicts, spelled numbers and headings alone', () => {
    const set = examined(
      [
        asked('good', 'how long does the lamp burn?', [lamp], { answer: 'nine hours' }),
        asked('wrong', 'who rings?', [bell], { answer: 'Margaret Hollow, keeper of Weststone' }),
        asked('verdict', 'may I enter the hall?', [hall], { answer: 'No' }),
        asked('spelled', 'how many hours for the lamp?', [lamp], { answer: '9' }),
        asked('headed', 'which article?', [bell], { answer: 'Article 12' }),
      ],
      [{}, {}, {}, {}, { gold: [{ doc_id: 'd', section_path: 'Article 12' }] }],
    )
    expect(found(set)).toEqual([['2', 'answer_not_in_gold', 'warning']])
  })

  it('finds equal and nearly equal questions, but not the same words about another thing', () => {
    const long = 'under which rule may the keeper of the lower hall open the gate at night'
    const set = examined([
      asked('a', 'When does the bell ring?', [bell]),
      asked('b', '  when does the BELL ring', [lamp]),
      asked('c', `${long}?`, [hall]),
      asked('d', `Please tell me: ${long}`, [goldSpan(text, 70, 90)]),
      asked('e', `Please tell us, ${long}`, [lamp]),
    ])
    expect(found(set)).toEqual([
      ['2', 'equal_questions', 'warning'],
      ['4', 'similar_questions', 'warning'],
    ])
  })

  it('finds what training and test share: an error where somebody chose the halves, a warning where a hash did', () => {
    const half = (id: string, query: string, golds: GoldPassage[], split: 'train' | 'test' | null) =>
      goldenQuery(id, golds, { query, split })
    const chosen = examined([
      half('a', 'when does it ring?', [bell], 'train'),
      half('b', 'When does it ring', [hall], 'test'),
      half('c', 'what rings?', [bell], 'test'),
      half('d', 'what rings at noon?', [bell], 'train'),
    ])
    expect(found(chosen)).toEqual([
      ['2', 'leaked_question', 'error'],
      ['3', 'leaked_gold', 'error'],
    ])
    // q0 is for training and q1 for testing: see the test of the split.
    const hashed = examined([half('q0', 'what rings?', [bell], null), half('q1', 'which rings at noon?', [bell], null)])
    expect(found(hashed)).toEqual([['2', 'leaked_gold', 'warning']])
    const [one, other] = [[chosen.set.queries[0]], [chosen.set.queries[1], chosen.set.queries[2]]]
    const between = checkHalves(
      examined(one as GoldenQuery[], [], 'tuning'),
      examined(other as GoldenQuery[], [], 'held-out'),
    )
    expect(between.map(({ set, place, code, severity }) => [set, place, code, severity])).toEqual([
      ['held-out', 'queries.jsonl:1', 'leaked_question', 'error'],
      ['held-out', 'queries.jsonl:2', 'leaked_gold', 'error'],
    ])
    expect(between[0]?.text).toContain('tuning queries.jsonl:1')
  })

  it('tells questions apart that differ in a sign alone', () => {
    const texts = [
      'What is C?',
      'What is C++?',
      'What is C#?',
      'what is **c #**',
      'Is 5 < 6?',
      'is 5 > 6',
      'Ｉｓ "5" ＞ 6',
    ]
    const equal = checkGoldenSet(examined(texts.map((query, at) => asked(`q${at}`, query, [lamp]))), limits)
    expect(equal.map(({ place, code, text }) => [place, code, text.slice(0, 36)])).toEqual([
      ['queries.jsonl:4', 'equal_questions', 'the same question as queries.jsonl:3'],
      ['queries.jsonl:7', 'equal_questions', 'the same question as queries.jsonl:6'],
    ])
  })

  it('finds exactly the pairs of similar questions that a comparison of all pairs finds', () => {
    const word = fc.constantFrom('lamp', 'bell', 'hall', 'gate', 'keeper', 'night')
    const question = fc.array(word, { minLength: 1, maxLength: 14 }).map(words => words.join(' '))
    fc.assert(
      fc.property(fc.array(fc.tuple(question, fc.constantFrom(lamp, bell)), { maxLength: 12 }), questions => {
        const queries: PlacedQuery[] = questions.map(([query, gold], at) => ({
          set: 's',
          place: String(at),
          query: asked(String(at), query, [gold]),
        }))
        const naive = queries.flatMap((later, at) =>
          queries.slice(0, at).flatMap(earlier => {
            const [one, other] = [later, earlier].map(({ query }) => runs(query.query))
            const shared = [...(one ?? [])].filter(run => other?.has(run)).length
            const isSimilar = shared / Math.min(one?.size ?? 0, other?.size ?? 0) >= 0.8
            const [gold, otherGold] = [later, earlier].map(({ query }) => query.goldPassages[0])
            const isPair = isSimilar && gold === otherGold && later.query.query !== earlier.query.query
            return isPair ? [`${later.place} ${earlier.place}`] : []
          }),
        )
        const pairs = similarQuestions(queries).map(({ later, earlier }) => `${later.place} ${earlier.place}`)
        expect(pairs.sort()).toEqual(naive.sort())
      }),
    )
  })

  it('looks up thousands of texts in thousands of documents', () => {
    const words = (from: number) =>
      Array.from({ length: 100 }, (_, at) => `word${((from + at) * 7919) % 999_983}`).join(' ')
    const documents = Array.from({ length: 4_000 }, (_, at) => ({ docId: `d${at}`, title: '', text: words(100 * at) }))
    const golds = [...documents.map((_, at) => words(100 * at + 20).slice(0, 300)), words(450_000)]
    const queries = golds.map((gold, at) =>
      asked(`q${at}`, `question ${at}`, [{ ...lamp, kind: 'text', text: gold, place: null }]),
    )
    const set = { ...examined(queries).set, documents }
    const missing = checkGolds({ set, rows: [], faults: [] }, { largestBudget: 4_000, countTokens: () => 1 })
    expect(missing.map(({ code }) => code)).toEqual(['gold_missing'])
    expect(missing[0]?.text).toContain(golds.at(-1)?.slice(0, 20))
  })

  it('takes no time for each pair of questions of one form', () => {
    const queries = Array.from({ length: 4_000 }, (_, at): PlacedQuery => {
      const gold = goldSpan(`The spare part ${at} costs ${7 * at} euros without tax.`, 0, 40, `part-${at}`)
      return {
        set: 's',
        place: String(at),
        query: asked(String(at), `What is the price of the spare part ${at}?`, [gold]),
      }
    })
    expect(similarQuestions(queries)).toEqual([])
  })

  it('shows each kind once with what to do, at most twenty of it, and the counts', () => {
    const queries = Array.from({ length: 25 }, (_, at) => asked(`q${at}`, `question ${at}`, [goldSpan(text, 62, 65)]))
    const shown = findingsText(checkGoldenSet(examined(queries), limits), [{ name: 'set', queries: 25 }])
    expect(shown).toContain('error gold_without_words (25): A gold passage has no words')
    expect(shown).toContain('→ Mark the passage again.')
    expect(shown).toContain('… and 5 more')
    expect(shown).toContain('25 errors, 0 warnings')
  })
})

function runs(question: string): Set<string> {
  const words = question.split(' ')
  if (words.length < 5) return new Set([words.join(' ')])
  return new Set(words.slice(0, -4).map((_, start) => words.slice(start, start + 5).join(' ')))
}
