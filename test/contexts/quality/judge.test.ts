import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanContext, withoutBrokenSentence } from '../../../src/contexts/quality/clean.ts'
import { judgeContext, PASSING_SCORE } from '../../../src/contexts/quality/judge.ts'
import type { ContextFaultCode } from '../../../src/core/vocabulary.ts'
import { languageOf } from '../../../src/text/language/language-of.ts'
import { countTokens, GOOD_CONTEXT, POLICY, requestFor, THRESHOLD } from '../support/requests.ts'

const judge = (text: string, request = THRESHOLD) => judgeContext(text, request, { countTokens })
const codesOf = (text: string, request = THRESHOLD) => judge(text, request).faults.map(({ code }) => code)

describe('the judgement of a context', () => {
  it('finds no fault in a context that says where the chunk stands', () => {
    expect(judge(GOOD_CONTEXT)).toEqual({ score: 1, faults: [] })
  })

  it.each<[ContextFaultCode, string]>([
    ['empty', ''],
    ['empty', ' \n'],
    ['refusal', "I'm sorry, but I cannot help with that request."],
    ['refusal', 'As an AI language model, I have no access to the travel insurance policy.'],
    ['refusal', 'Es tut mir leid, ich kann diese Frage zur Versicherung nicht beantworten.'],
    ['meta_talk', `Sure, here it is. ${GOOD_CONTEXT}`],
    ['meta_talk', `The context is: ${GOOD_CONTEXT}`],
    ['meta_talk', `Context: ${GOOD_CONTEXT}`],
    ['meta_talk', `${GOOD_CONTEXT} Let me know if you need more.`],
    ['generic_opening', `This chunk is about this. ${GOOD_CONTEXT}`],
    ['generic_opening', `This section discusses the ${GOOD_CONTEXT}`],
    ['generic_opening', `The document describes the ${GOOD_CONTEXT}`],
    ['generic_opening', `Here is the ${GOOD_CONTEXT}`],
    ['generic_opening', `In this chunk, the ${GOOD_CONTEXT}`],
    ['markup', JSON.stringify({ context: GOOD_CONTEXT })],
    ['markup', `<p>${GOOD_CONTEXT}</p>`],
    ['markup', `## Threshold ${GOOD_CONTEXT}`],
    ['too_short', 'Threshold for travel.'],
    ['too_long', GOOD_CONTEXT.repeat(6)],
    [
      'shares_nothing',
      'Claims are sent to the finance department of Northwind Traders within thirty days after the return of employees.',
    ],
    [
      'adds_nothing',
      'The threshold that applies is an amount of money, namely $500,000, and it holds for each person and also for each journey.',
    ],
    [
      'invented',
      GOOD_CONTEXT.replace('Northwind Traders', 'Contoso Fabrikam').concat(
        ' The limit was 730,000 in 1987, says Adam Smith.',
      ),
    ],
    [
      'other_language',
      'Dieser Absatz gehört zu der Police von Northwind Traders und nennt den threshold, der für die Reisen der Stufe 3 gilt, wenn sie in Regionen mit erhöhtem Risiko führen und nicht von der Versicherung ausgenommen sind.',
    ],
  ])('finds %s in %j', (code, text) => {
    expect(codesOf(text)).toContain(code)
  })

  it.each([
    "I'm sorry, but I cannot help with that request.",
    `Sure, here it is. ${GOOD_CONTEXT}`,
    `This chunk is about this. ${GOOD_CONTEXT}`,
    JSON.stringify({ context: GOOD_CONTEXT }),
    'Threshold.',
    GOOD_CONTEXT.repeat(6),
  ])('has %j written again', text => {
    expect(judge(text).score).toBeLessThan(PASSING_SCORE)
  })

  it('lets pass what is no fault', () => {
    // Short contexts of rules, one name that the model knows better, a chunk of numbers only, a document that is one chunk.
    expect(
      judge('Travel insurance policy 2026 > Level 3 travel. The threshold concerns elevated risk.').score,
    ).toBeGreaterThanOrEqual(PASSING_SCORE)
    expect(judge(`${GOOD_CONTEXT} It is written in the Markdown of Contoso.`).score).toBeGreaterThanOrEqual(
      PASSING_SCORE,
    )
    const numbers = requestFor(
      '| 1 | 22 |\n| 3 | 44 |',
      'Rainfall by month in the river valley\n\n| 1 | 22 |\n| 3 | 44 |',
    )
    expect(codesOf('Rainfall by month in the river valley, as a table of months and amounts.', numbers)).not.toContain(
      'shares_nothing',
    )
    const alone = {
      ...requestFor('Only one.', 'Only one.'),
      document: { docId: 'd', title: '', text: 'Only one.', lang: null },
    }
    alone.chunk.sectionPath = ''
    expect(codesOf('The only one that there is.', alone)).not.toContain('adds_nothing')
  })

  it('allows the language of the chunk beside that of the document', () => {
    const german =
      'Der Schwellenwert ist hoch und gilt für die Reisen von allen Personen, die nicht in der Stadt sind, und auch für die Familie.'
    const request = { ...requestFor(german), document: { ...POLICY, text: `${POLICY.text}\n${german}` } }
    expect(codesOf(`${german} Er steht in der Police von Northwind Traders.`, request)).not.toContain('other_language')
  })

  it('counts German nouns as no invented names', () => {
    const german = requestFor(
      'Die Schwelle liegt bei 500 Euro.',
      'Reisen\n\nDie Versicherung gilt für die Mitarbeiter auf Reisen.\n\nDie Schwelle liegt bei 500 Euro.',
    )
    expect(
      codesOf(
        'Die Schwelle der Versicherung für die Mitarbeiter auf Reisen, mit dem Betrag und der Währung der Erstattung.',
        german,
      ),
    ).not.toContain('invented')
  })

  it('has a score in [0,1] for every text, the same at each call', () => {
    const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.lorem({ maxCount: 60 }))
    fc.assert(
      fc.property(text, text, text, (context, chunk, document) => {
        const first = judge(context, requestFor(chunk, document))
        expect(first.score).toBeGreaterThanOrEqual(0)
        expect(first.score).toBeLessThanOrEqual(1)
        expect(judge(context, requestFor(chunk, document))).toEqual(first)
        expect(first.score === 1).toBe(first.faults.length === 0)
        if (context.trim() === '') expect(first.score).toBe(0)
      }),
      { numRuns: 80 },
    )
  })

  it.each(['a', ' ', '"', '`', '{', '語', '5,'])(
    'judges and cleans 100 kB of %j with few counted characters',
    character => {
      let counted = 0
      const long = character.repeat(100_000)
      const request = requestFor(long, long)
      const { score } = judgeContext(cleanContext(long), request, {
        countTokens: text => {
          counted += text.length
          return text.length
        },
      })
      expect(score).toBeLessThan(PASSING_SCORE)
      expect(counted).toBeLessThanOrEqual(8_000)
    },
    // A pattern that goes back and forth takes minutes.
    20_000,
  )
})

describe('the cleaning of a context', () => {
  it.each([
    ['"A limit."', 'A limit.'],
    ['“A limit.”', 'A limit.'],
    ['```text\nA limit.\n```', 'A limit.'],
    ['<context>\nA limit.\n</context>', 'A limit.'],
    ['A "limit" of\n\nthe  policy\u0000.', 'A "limit" of the policy .'],
    ['"A" and "B"', '"A" and "B"'],
    ['\ud800', '\ufffd'],
  ])('makes %j to %j', (text, cleaned) => {
    expect(cleanContext(text)).toBe(cleaned)
  })

  it('leaves out a last sentence that broke off', () => {
    expect(withoutBrokenSentence('The limit is 2.5 million. It is for')).toBe('The limit is 2.5 million.')
    expect(withoutBrokenSentence('A limit that is for')).toBe('A limit that is for')
  })

  it('changes nothing at a second time', () => {
    fc.assert(
      fc.property(fc.lorem({ mode: 'sentences', maxCount: 3 }), text => {
        expect(cleanContext(cleanContext(text))).toBe(cleanContext(text))
      }),
      { numRuns: 50 },
    )
  })
})

describe('the language of a text', () => {
  it.each([
    ['en', POLICY.text],
    [
      'de',
      'Die Versicherung gilt für alle Mitarbeiter, die auf Reisen sind, und für die Familie, wenn sie mit ihnen reist.',
    ],
    [
      'fr',
      'Cette police couvre les employés qui sont en voyage pour le compte de la société et dans les pays à risque.',
    ],
    [
      'es',
      'Esta póliza cubre a los empleados que viajan por cuenta de la empresa y a los familiares que van con ellos.',
    ],
    ['it', 'La polizza copre i dipendenti che viaggiano per conto della società e nelle regioni che sono a rischio.'],
    [
      'nl',
      'De verzekering geldt voor alle medewerkers die op reis zijn en ook voor het gezin als het met hen meegaat.',
    ],
    ['ja', 'この保険は出張するすべての従業員に適用されます。'],
    ['zh', '本保险适用于所有出差的员工。'],
    ['ko', '이 보험은 출장하는 모든 직원에게 적용됩니다.'],
    ['cyrillic', 'Полис распространяется на всех сотрудников в командировке.'],
    [null, 'default time until a job step counts as unkillable'],
    [null, 'Do all addresses get a retry delay after a timeout?'],
    [null, 'const limit = 500; return limit * persons'],
    [null, 'Level 3'],
    [null, ''],
  ])('is %s', (language, text) => {
    expect(languageOf(text)).toBe(language)
  })
})
