import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { GoldFinder } from '../../../../src/evaluation/metrics/common-runs.ts'
import { htmlReport } from '../../../../src/evaluation/report/html/html-report.ts'
import { readReport } from './support/read-report.ts'
import { reportWorld } from './support/report-world.ts'

const HOSTILE = `</script><script>alert(1)</script><!-- <img src=x onerror=alert(1)> --> ]]>  \u202E\uD800 ${'a'.repeat(20_000)}`

describe('the report as a file', () => {
  const world = reportWorld({ queries: 8, ablation: true })
  let html = ''
  beforeAll(async () => {
    html = await htmlReport(world)
  })

  it('loads nothing: no address of a network, and a policy that allows its own script alone', () => {
    const script = /<script>([\s\S]*?)<\/script>/u.exec(html)?.[1] ?? ''
    const hash = createHash('sha256').update(script).digest('base64')
    expect(html).toContain(`default-src 'none'; script-src 'sha256-${hash}'`)
    expect(html.match(/<(?:link|img|iframe|object|embed|base|form)\b/gu)).toBeNull()
    expect(html.match(/<script\b[^>]*>/gu)).toEqual([
      '<script type="text/plain" id="data-main">',
      '<script type="text/plain" id="data-points">',
      '<script type="text/plain" id="data-parts">',
      '<script>',
    ])
    expect(script.length).toBeGreaterThan(100_000)
  })

  it('holds the figures of the replay, and the differences to the reference', () => {
    const { data } = readReport(html)
    expect(data.arms.map(({ name }) => name)).toEqual(['topk', 'measured'])
    const { queries } = world.report.sets[0] ?? { queries: [] }
    const recall = data.measures.findIndex(({ name }) => name === 'recall')
    for (const [place, query] of queries.entries())
      for (const [arm, { name }] of data.arms.entries())
        for (const [step, budget] of data.budgets.entries())
          expect(data.queries[place]?.figures[arm]?.[step]?.[recall]).toBe(query.arms[name]?.[budget]?.measures.recall)
    const curve = data.curves.find(({ measure, arm }) => measure === recall && arm === 1)
    const values = queries.map(query => query.arms.measured?.[500]?.measures.recall ?? 0)
    expect(curve?.points[0]?.mean).toBeCloseTo(values.reduce((sum, value) => sum + value, 0) / values.length, 10)
    expect(data.effects.every(({ arm, low, high, mean }) => arm === 1 && low <= mean && mean <= high)).toBe(true)
    expect(data.ablation).toHaveLength(8)
  })

  it('accounts for every candidate: what came in is what was dropped and what was packed', () => {
    const { data } = readReport(html)
    for (const { waterfall } of data.queries)
      for (const run of waterfall.flat()) {
        const { retrieved = 0, neighbours = 0, parents = 0, dropped = {}, packed = 0 } = run ?? {}
        expect(retrieved + neighbours + parents).toBe(24)
        expect(Object.values(dropped).reduce((sum, count) => sum + count, 0) + packed).toBe(24)
      }
  })

  it('marks the words of gold passages in contexts, as the measure counts them', () => {
    const { data, contexts } = readReport(html)
    const gold = world.sets[0]?.queries[0]?.goldPassages[0]?.text ?? ''
    let marked = 0
    for (const [place, query] of data.queries.entries()) {
      const part = contexts(query.contexts ?? -1)
      for (const [arm, context] of part.contexts.entries()) {
        const recall = world.report.sets[0]?.queries[place]?.arms[data.arms[arm]?.name ?? '']?.[1000]?.measures.recall
        const spans = (context?.marks ?? []).flatMap((start, at, all) =>
          at % 2 === 0 ? [context?.text.slice(start, all[at + 1])] : [],
        )
        expect(spans).toEqual(recall === 1 ? [gold.slice(0, -1)] : [])
        expect(part.golds[0]?.found[arm]).toBe(recall)
        marked += spans.length
      }
    }
    expect(marked).toBeGreaterThan(0)
  })

  it('holds the trace of each candidate, with evidence that names other candidates', () => {
    const { data, points, candidates } = readReport(html)
    const part = candidates(data.queries[0]?.candidates ?? -1)
    const [columns] = part.arms
    const trace = (
      world.details as {
        arms: Record<string, Record<string, { trace: { candidates: { id: string; final: number }[] } }>>
      }[]
    )[0]?.arms.topk?.[1000]?.trace
    expect(columns?.point.map(point => points.id[point])).toEqual(trace?.candidates.map(({ id }) => id))
    expect(columns?.final).toEqual(trace?.candidates.map(({ final }) => Number(final.toPrecision(4))))
    const duplicate = columns?.reason.indexOf('duplicate') ?? -1
    expect(points.id[columns?.evidence.of[duplicate] ?? -1]).toBe('0')
    expect(columns?.evidence.shortBy[columns.reason.indexOf('over_budget')]).toBe(180)
    expect(part.lists.find(({ source }) => source === 'dense')?.rank).toBeNull()
  })

  it('keeps contexts and candidates at the budget that was asked for', async () => {
    const { data } = readReport(await htmlReport({ ...world, detailBudget: 2000 }))
    expect(data.detailBudget).toBe(2000)
    await expect(htmlReport({ ...world, detailBudget: 7 })).rejects.toThrow('no budget of 7 tokens')
    await expect(htmlReport({ ...world, against: 'nobody' })).rejects.toThrow('no arm')
  })

  it('has the licence of every package that is in the page', () => {
    const { licences } = readReport(html).data.facts
    expect(licences.map(({ name }) => name.replace(/ [^ ]+$/u, ''))).toEqual(
      expect.arrayContaining(['@observablehq/plot', 'preact']),
    )
    for (const { text } of licences) expect(text).toMatch(/permission|license/iu)
  })
})

it('no text of a document, question or answer can break out of its place', async () => {
  const plain = await htmlReport(reportWorld({ queries: 2, candidates: 6 }))
  const html = await htmlReport(reportWorld({ queries: 2, candidates: 6, text: HOSTILE }))
  const tags = (text: string) => text.match(/<[a-z!/][^>]*>/giu)?.map(tag => tag.replace(/sha256-[^']*/u, ''))
  expect(tags(html)).toEqual(tags(plain))
  expect(html).not.toContain('alert(1)')
  const { data, points, contexts } = readReport(html)
  expect(data.queries[0]?.query).toContain('</script>')
  expect(data.queries[0]?.query.isWellFormed()).toBe(true)
  expect(contexts(data.queries[0]?.contexts ?? -1).contexts[0]?.text).toContain('<!-- <img')
  expect(points.snippet.every(snippet => (snippet ?? '').length <= 280)).toBe(true)
})

it('keeps contexts and candidates of the first eight arms and of the reference, when there are more than a reader tells apart', async () => {
  const arms = Array.from({ length: 14 }, (_, arm) => `arm ${arm}`)
  const html = await htmlReport({ ...reportWorld({ queries: 3, candidates: 6, arms }), against: 'arm 12' })
  const { data, contexts, candidates } = readReport(html)
  expect(data.detailArms).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 12])
  expect(data.leftOut).toEqual([
    expect.stringMatching(/^Contexts and candidates are kept for 9 of 14 arms: arm 0, .*arm 12\.$/u),
  ])
  const [query] = data.queries
  const there = (parts: readonly unknown[]) => parts.flatMap((part, arm) => (part === null ? [] : [arm]))
  expect(there(contexts(query?.contexts ?? -1).contexts)).toEqual(data.detailArms)
  expect(there(candidates(query?.candidates ?? -1).arms)).toEqual(data.detailArms)
  expect(readReport(await htmlReport(reportWorld())).data.detailArms).toEqual([0, 1])
})

it('leaves out details when the file would be too large, those of the least interest first, and says so', async () => {
  const world = reportWorld({ queries: 30, candidates: 20 })
  const whole = await htmlReport(world)
  const small = await htmlReport({ ...world, mostBytes: whole.length - 20_000 })
  expect(small.length).toBeLessThanOrEqual(whole.length - 20_000)
  const { data } = readReport(small)
  expect(readReport(whole).data.leftOut).toEqual([])
  expect(data.leftOut.join(' ')).toMatch(/The contexts of \d+ of 30 queries are not in this file/u)
  const differs = data.queries.map(({ figures }) => figures[0]?.some((step, at) => step[0] !== figures[1]?.[at]?.[0]))
  const kept = data.queries.flatMap(({ contexts }, place) => (contexts === null ? [] : [differs[place]]))
  const lost = data.queries.flatMap(({ contexts }, place) => (contexts === null ? [differs[place]] : []))
  expect(lost.length).toBeGreaterThan(0)
  if (kept.includes(false)) expect(lost).not.toContain(true)
})

it('marks exactly the words that the measure counts as inside', () => {
  const finder = new GoldFinder(['one two three four five six', 'kurz'])
  const text = 'zero One, two. THREE four five; six seven one two three kurz one two three four five'
  const marks = finder.rangesIn(text).map(({ start, end }) => text.slice(start, end))
  expect(marks).toEqual(['One, two. THREE four five; six', 'kurz', 'one two three four five'])
  expect(marks.join(' ').split(' ')).toHaveLength(finder.in(text).inside)
})
