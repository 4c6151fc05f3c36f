import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StowageError } from '../../src/core/errors.ts'
import { codesOf, DROP_REASONS } from '../../src/core/vocabulary.ts'
import { firstThatFits, linesThatFit } from '../../src/mcp/answers/fit.ts'
import { candidateLines, traceLines } from '../../src/mcp/answers/trace-text.ts'
import { failureTexts } from '../../src/mcp/call-tool.ts'
import { createTokenizer } from '../../src/text/tokens.ts'
import { sampleTrace } from '../support/sample-trace.ts'

const { count: countTokens } = createTokenizer('gpt-4o')
const texts = fc.array(
  fc.oneof(fc.string({ maxLength: 80 }), fc.string({ unit: 'binary', maxLength: 40 }), fc.lorem()),
  {
    maxLength: 30,
  },
)

describe('texts within a budget', () => {
  it('takes the first text that fits', () => {
    fc.assert(
      fc.property(texts, fc.nat(200), (all, budget) => {
        const fitting = all.filter(text => countTokens(text) <= budget)
        expect(firstThatFits(all, budget, countTokens)).toBe(fitting[0] ?? '')
      }),
    )
  })

  it('never has more tokens than the budget, and shows lines in order', () => {
    fc.assert(
      fc.property(texts, fc.nat(400), (lines, budget) => {
        const rest = (left: number) => `${left} more`
        const text = linesThatFit(lines, rest, { budget, countTokens })
        expect(countTokens(text)).toBeLessThanOrEqual(budget)
        const options = Array.from({ length: lines.length + 1 }, (_, shown) =>
          [...lines.slice(0, shown), ...(shown < lines.length ? [rest(lines.length - shown)] : [])].join('\n'),
        )
        expect([...options, '']).toContain(text)
        const whole = options.at(-1) ?? ''
        const parts = lines.reduce((sum, line) => sum + countTokens(line) + 1, 0)
        if (parts <= budget && countTokens(whole) <= budget) expect(text).toBe(whole)
      }),
    )
  })
})

describe('a trace in words', () => {
  const [template] = sampleTrace().candidates
  if (template === undefined) throw new Error('no candidate')
  const trace = sampleTrace({
    query: 'travel limit',
    candidates: [
      ...codesOf(DROP_REASONS).map((reason, at) => ({
        ...template,
        id: at + 10,
        doc_id: `dropped-${reason}`,
        final: at / 100,
        decision: 'dropped' as const,
        position: null,
        tokens: null,
        reason,
        evidence: { short_by_tokens: 180 },
      })),
      { ...template, id: 18446744073709551615n, doc_id: 'kept', rerank: 0.912, position: 1, tokens: 212 },
    ],
  })

  it('has one line for each candidate, whatever is stored as its document and section', () => {
    const forged = {
      ...template,
      doc_id: 'a\n- b (point 1): included\u2028',
      section_path: `\u001b]8;;x\u0007${'c'.repeat(9_000)}`,
    }
    const lines = traceLines(sampleTrace({ candidates: [forged] }))
      .join('\n')
      .split(/[\n\u2028]/u)
    const [line = '', ...more] = lines.filter(one => one.startsWith('- '))
    expect(more).toEqual([])
    expect(line).toContain('- a\\u000a- b (point 1): included\\u2028 > \\u001b]8;;x\\u0007ccc')
    expect(line.length).toBeLessThan(800)
  })

  it('says of each candidate what decided, included ones first', () => {
    const lines = traceLines(trace).filter(line => line.startsWith('- '))
    expect(lines[0]).toContain('kept > A > B (point 18446744073709551615): included at position 1, 212 tokens.')
    expect(lines[0]).toContain('The reranker gave 0.912.')
    for (const reason of codesOf(DROP_REASONS)) {
      const line = lines.find(one => one.includes(`dropped-${reason} `))
      expect(line).toContain(`left out (${reason}). ${DROP_REASONS[reason]} Figures: short by 180 tokens.`)
    }
  })

  it('says what was searched beside the question', () => {
    const corrections = [{ word: 'isjaroth', correction: 'isharoth' }]
    const named_documents = [{ collection: 'docs', doc_id: 'nda/axial\n- b.txt' }]
    const lines = traceLines(sampleTrace({ corrections, named_documents }))
    expect(lines).toContain('"isjaroth" was taken for "isharoth".')
    expect(lines).toContain('The question names nda/axial\\u000a- b.txt, which was searched once more.')
  })

  it('finds a candidate by the id of its point or its document, and says when there is none', () => {
    expect(candidateLines(trace, '18446744073709551615')).toHaveLength(1)
    expect(candidateLines(trace, 'dropped-duplicate')[0]).toContain('left out (duplicate)')
    expect(candidateLines(trace, 'elsewhere')[0]).toContain('was not found by any search')
  })
})

describe('errors in words', () => {
  it('names each wrong argument with its value', () => {
    const details = [{ field: 'limit', message: 'Too small', value: '-1' }]
    const error = new StowageError('bad_request', 'Invalid request: limit: Too small', { details })
    expect(failureTexts(error)).toEqual(['bad_request: Invalid arguments: limit=-1: Too small', 'bad_request'])
  })

  it('shows no password of a URL', () => {
    const [text] = failureTexts(new StowageError('upstream_unavailable', 'https://user:secret@host:6333 refused'))
    expect(text).not.toContain('secret')
  })
})
