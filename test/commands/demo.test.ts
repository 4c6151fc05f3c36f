import { beforeAll, describe, expect, it } from 'vitest'
import { addDemoCommand } from '../../src/commands/demo.ts'
import { DROP_REASONS } from '../../src/core/vocabulary.ts'
import { DEMO_QUERIES, type DemoResult } from '../../src/demo/demo.ts'
import { runCommand } from '../support/run-command.ts'
import { type Answer, send } from '../support/send.ts'
import { type Ended, run, startListening } from '../support/stowage-process.ts'
import { CHILD_PROCESS_MS } from '../support/timeouts.ts'

describe('stowage demo, as a shell runs it', { timeout: CHILD_PROCESS_MS }, () => {
  let text: Ended
  let full: Served
  let json: Served
  let results: DemoResult[]
  beforeAll(async () => {
    // It needs no configuration, and one for another Qdrant does not lead it away from its own engine.
    const elsewhere = { QDRANT_URL: 'http://127.0.0.1:9', QDRANT_API_KEY: 'k' }
    ;[text, full, json] = await Promise.all([
      run(['demo'], elsewhere),
      serveUntil('SIGTERM', '--full'),
      serveUntil('SIGINT', '--json', '--budget', '500'),
    ])
    results = (JSON.parse(json.out) as { results: DemoResult[] }).results
  }, CHILD_PROCESS_MS)

  it('shows each question with both contexts side by side, in less than 60 lines', () => {
    expect(text.code).toBe(0)
    const lines = text.out.split('\n')
    expect(lines.length).toBeLessThan(60)
    expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(100)
    for (const query of DEMO_QUERIES) expect(lines).toContain(query)
    expect(text.out.match(/^plain top-k: [\d,]+ tokens/gmu)).toHaveLength(DEMO_QUERIES.length)
    // Crossed out on the left, gained on the right, and no escape codes because this is no terminal.
    expect(text.out).toMatch(/^x /mu)
    expect(text.out).toMatch(/ │ \+ /u)
    expect(text.out).not.toContain('\u001b')
  })

  it('ends with figures that the results bear out, and with the next command', () => {
    const [, plain, all, packed] =
      /^Passages that answer, in budgets of the same size: (\d) of (\d) with plain top-k, (\d) with stowage\.$/mu.exec(
        text.out,
      ) ?? []
    expect(Number(all)).toBe(results.reduce((sum, { gold_passages }) => sum + gold_passages.of, 0))
    expect(Number(plain)).toBeLessThanOrEqual(Number(all))
    expect(Number(packed)).toBeLessThanOrEqual(Number(all))
    const [, repeated = '', spent = '', share, left] =
      /^Repeated text: ([\d,]+) of the ([\d,]+) tokens of plain top-k \((\d+) %\), (\d+) with stowage\.$/mu.exec(
        text.out,
      ) ?? []
    const [one, tokens] = [repeated, spent].map(number => Number(number.replace(',', '')))
    expect(Math.round((100 * Number(one)) / Number(tokens))).toBe(Number(share))
    const heads = [...text.out.matchAll(/^plain top-k: .*?([\d,]+) of them repeated/gmu)]
    expect(heads.reduce((sum, [, own]) => sum + Number(own?.replace(',', '')), 0)).toBe(one)
    expect(left).toBe('0')
    expect(text.out).toContain('stowage ingest ./docs --collection docs')
  })

  it('--full shows for every question the packed context, its citations, what was dropped and the budget', () => {
    expect(full.code).toBe(0)
    const sections = full.out.split('━━ ').slice(1)
    expect(sections.map(section => section.split('\n')[0])).toEqual([...DEMO_QUERIES])
    for (const section of sections) {
      const [shown, tables = ''] = section.split('│ packed')
      expect(shown).toMatch(/^\[1\] /mu)
      expect(tables).toMatch(/│ \[?1\]? /u)
      const reasons = [...tables.slice(tables.indexOf('│ dropped')).matchAll(/^│ ([a-z_]+) /gmu)].map(
        ([, name]) => name,
      )
      expect(reasons).toContain('dropped')
      expect(reasons.length).toBeGreaterThan(1)
      for (const reason of reasons.slice(1)) expect(Object.keys(DROP_REASONS)).toContain(reason)
      const [, used = '', budget = ''] = /\] ([\d,]+) of ([\d,]+) tokens/u.exec(section) ?? []
      expect(budget).toBe('800')
      expect(Number(used.replace(',', ''))).toBeGreaterThan(0)
      expect(Number(used.replace(',', ''))).toBeLessThanOrEqual(800)
    }
  })

  it('tells its progress on stderr', () => {
    expect(text.err).toMatch(/^ingested \d+ documents as \d+ chunks; embedder none, reranker none$/mu)
    expect(text.out).not.toContain('ingested')
  })

  it('--json prints one document and nothing else, within the budget that --budget gives', () => {
    expect(json.code).toBe(0)
    expect(results.map(({ query }) => query)).toEqual([...DEMO_QUERIES])
    for (const { context, tokens, budget_tokens, chunks, trace, top_k } of results) {
      expect(top_k.tokens).toBeGreaterThan(0)
      expect(top_k.tokens).toBeLessThanOrEqual(500)
      expect(budget_tokens).toBe(500)
      expect(tokens).toBeGreaterThan(0)
      expect(tokens).toBeLessThanOrEqual(500)
      expect(chunks.length).toBeGreaterThan(0)
      for (const { citation } of chunks) expect(context).toContain(citation)
      const dropped = trace?.candidates.filter(({ decision }) => decision === 'dropped') ?? []
      expect(dropped.length).toBeGreaterThan(0)
      for (const { reason } of dropped) expect(Object.keys(DROP_REASONS)).toContain(reason)
    }
  })

  it('finds the passage that answers: who Isharoth is', () => {
    const [first] = results
    expect(first?.context).toContain('thinking engine')
    expect(first?.gold_passages).toEqual({ found: 1, of: 1 })
  })

  it('--serve keeps the server up until SIGINT or SIGTERM, and says how to ask it', () => {
    for (const { url, asked, out, err } of [full, json]) {
      expect([asked.status, asked.json.context]).toEqual([200, expect.stringContaining('Isharoth')])
      expect(out + err).toContain(`curl -s ${url}/v1/context`)
    }
  })

  it('ends with 2 when it is misused, and names the value', async () => {
    const { code, out, err } = await run(['demo', '--budget=abc'])
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(`option '--budget <tokens>' argument 'abc' is invalid`)
  })
})

it.each(['-1', '1.5', '', '10000001'])('--budget %j is refused before anything is opened', async value => {
  const open = () => Promise.reject(new Error('opened'))
  const { error } = await runCommand(
    (program, streams) => addDemoCommand(program, { ...streams, open }),
    ...['demo', `--budget=${value}`],
  )
  expect(String(error)).toContain(`option '--budget <tokens>' argument '${value}' is invalid`)
})

type Served = Ended & { url: string; asked: Answer<DemoResult> }

/** `stowage demo --serve`, which answers one question before the signal ends it. */
async function serveUntil(signal: 'SIGINT' | 'SIGTERM', ...flags: string[]): Promise<Served> {
  const service = await startListening(['demo', '--serve', ...flags], { PORT: '0' })
  const question = { query: 'Who is Isharoth?', collection: 'isharoth', budget_tokens: 400 }
  const asked = await send<DemoResult>(service.url, 'POST', '/v1/context', question)
  return { url: service.url, asked, ...(await service.stop(signal)) }
}
