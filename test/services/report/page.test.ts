import { afterAll, beforeAll, expect, test } from 'vitest'
import { reportWorld } from '../../evaluation/report/html/support/report-world.ts'
import { describeWith } from '../support/programs.ts'
import { type ReportBrowser, SHOTS, startBrowser } from './support/browser.ts'

const ARMS = ['topk', 'baseline', 'design', 'measured']
const BUDGETS = [250, 500, 1000, 2000, 4000]
const HOSTILE = '</script><img src=x onerror=alert(1)><!-- \u2028\u202E سفينة'

describeWith('chromium')('the report in a real browser', () => {
  let browser: ReportBrowser
  let file = ''
  beforeAll(async () => {
    browser = await startBrowser()
    file = await browser.write('whole', reportWorld({ queries: 40, arms: ARMS, budgets: BUDGETS, ablation: true }))
    console.log(`screenshots: ${SHOTS}`)
  })
  afterAll(() => browser?.close())

  test('draws every figure: curves with bands and knees, effects, rules, waterfall, times', async () => {
    const { page, faults } = await browser.open(file)
    const count = (selector: string) => page.locator(selector).count()
    const points = ARMS.length * BUDGETS.length
    expect(await count('[data-plot=curve] .point > *')).toBe(points)
    expect(await count('[data-plot=curve] .curve > path')).toBe(ARMS.length)
    expect(await count('[data-plot=curve] .band > path')).toBe(ARMS.length)
    expect(await count('[data-plot=curve] .knee > *')).toBe(await count('#part-curve .knee-value'))
    expect(await count('[data-plot=effects] .point > *')).toBe(ARMS.length - 1)
    expect(await count('[data-plot=effects] .interval > *')).toBe(ARMS.length - 1)
    expect(await count('[data-plot=effects] .zero > *')).toBe(1)
    expect(await count('[data-plot=ablation] .point :is(circle, path)')).toBe(8)
    expect(await count('[data-plot=waterfall] .bar > *')).toBe(await count('#part-waterfall tbody tr'))
    expect(await count('[data-plot=latency] .p95 :is(circle, path)')).toBe(await count('#part-latency tbody tr'))
    expect(faults).toEqual([])
    await page.locator('#part-curve').getByLabel('Measure', { exact: true }).selectOption('MRR')
    expect(await page.locator('#title-curve').textContent()).toBe('MRR over budget')
    expect(await count('[data-plot=curve] .point > *')).toBe(points)
    expect(page.url()).toContain('#measure=mrr')
  })

  test('hides an arm, and says the values where the pointer is', async () => {
    const { page, faults } = await browser.open(file)
    await page.locator('#part-curve input[type=checkbox]').first().uncheck()
    // The figure is drawn anew a moment later.
    await expect.poll(() => page.locator('[data-plot=curve] .curve > path').count()).toBe(ARMS.length - 1)
    const box = await page.locator('[data-plot=curve] svg').boundingBox()
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + 150)
    expect(await page.locator('[data-plot=curve] [aria-label=tip]').textContent()).toContain('95 % interval')
    expect(faults).toEqual([])
  })

  test('opens a query and a candidate by mouse; the back button returns to the same place', async () => {
    const { page, faults } = await browser.open(file)
    const link = page.locator('#part-extremes a').first()
    const question = await link.textContent()
    await link.click()
    await expect.poll(() => page.locator('main h1').textContent()).toBe(question)
    await page.locator('.context-text').first().waitFor()
    expect(await page.locator('.context-text').count()).toBe(2)
    expect(await page.locator('.context-text mark').count()).toBeGreaterThan(0)
    expect(await page.locator('[data-plot=waterfall] .bar > *').count()).toBeGreaterThan(2)
    await page.locator('.opener').first().click()
    expect(await page.locator('tr.detail:visible').textContent()).toContain('Lists of the searches')
    await page.getByLabel('Show', { exact: true }).selectOption('dropped: over_budget')
    expect(await page.locator('.candidates tbody tr:not(.detail)').first().textContent()).toContain(
      'short by 180 tokens',
    )
    await page.goBack()
    await expect.poll(() => page.locator('main h1').textContent()).toBe('lamps')
    await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(300)
    expect(faults).toEqual([])
  })

  test('prints contexts and gold passages whole', async () => {
    const { page } = await browser.open(file, '#q=lamps/q0')
    await page.locator('.context-text mark').first().waitFor()
    await page.emulateMedia({ media: 'print' })
    for (const box of ['.context-text', '.golds blockquote', '.scroll']) {
      const limit = `getComputedStyle(document.querySelector('${box}')).maxHeight`
      expect(await page.evaluate(limit), box).toBe('none')
    }
  })

  test('works by keyboard alone', async () => {
    const { page, faults } = await browser.open(file)
    const focused = () => page.evaluate('document.activeElement.textContent')
    const tabTo = async (selector: string) => {
      for (let step = 0; step < 400; step++) {
        await page.keyboard.press('Tab')
        if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return
      }
      throw new Error(`Tab does not reach ${selector}`)
    }
    await tabTo('#part-queries a')
    const question = await focused()
    await page.keyboard.press('Enter')
    await expect.poll(focused).toBe(question)
    await page.locator('.opener').first().waitFor()
    await tabTo('.opener')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.getAttribute("aria-expanded")')).toBe('true')
    expect(await page.locator('tr.detail:visible').count()).toBe(1)
    await page.keyboard.press('Space')
    expect(await page.locator('tr.detail:visible').count()).toBe(0)
    expect(faults).toEqual([])
  })

  test('filters the queries, and keeps filters in the address', async () => {
    const { page } = await browser.open(file)
    const rows = page.locator('#part-queries tbody tr')
    expect(await rows.count()).toBe(40)
    await page.getByLabel('Search').fill('q17')
    await expect.poll(() => rows.count()).toBe(1)
    await page.getByLabel('Search').fill('')
    await page.getByLabel('Intent').selectOption('definition')
    await expect.poll(() => rows.count()).toBe(20)
    await page.getByLabel('Outcome').selectOption('lost')
    await expect.poll(() => rows.count()).toBeLessThan(20)
    const lost = await rows.count()
    const again = await browser.open(file, new URL(page.url()).hash)
    await expect.poll(() => again.page.locator('#part-queries tbody tr').count()).toBe(lost)
  })

  test.each(['light', 'dark'] as const)('is accessible and legible in %s', async colours => {
    const overview = await browser.open(file, '', colours)
    expect(await overview.accessibilityFaults()).toEqual([])
    await overview.shot('overview')
    for (const part of ['curve', 'effects', 'ablation', 'waterfall', 'latency', 'extremes', 'queries', 'facts'])
      await overview.shot(part, `#part-${part}`)
    const query = await browser.open(file, '#q=lamps%2Fq0', colours)
    await query.page.locator('.opener').first().click()
    expect(await query.accessibilityFaults()).toEqual([])
    await query.shot('query')
    const narrow = await browser.open(file, '', colours, 420)
    expect(await narrow.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(420)
    await narrow.shot('narrow')
    const background = 'getComputedStyle(document.body).backgroundColor'
    expect(await overview.page.evaluate(background)).toBe(
      colours === 'light' ? 'rgb(245, 246, 248)' : 'rgb(20, 23, 28)',
    )
    expect([...overview.faults, ...query.faults, ...narrow.faults]).toEqual([])
  })

  test.each([
    ['one-arm', reportWorld({ queries: 5, arms: ['measured'] }), 1],
    ['one-query', reportWorld({ queries: 1, budgets: [1000] }), 2],
    [
      'twelve-arms',
      reportWorld({
        queries: 6,
        arms: Array.from(
          { length: 12 },
          (_, at) => `measured:packing.sentenceCut=false,reunification.expansion=0.${at}`,
        ),
      }),
      12,
    ],
    [
      'thirty-arms',
      reportWorld({ queries: 3, arms: Array.from({ length: 30 }, (_, at) => `bare with rule ${at}`) }),
      8,
    ],
    ['hostile', reportWorld({ queries: 4, text: HOSTILE }), 2],
  ])('shows %s without faults', async (name, input, arms) => {
    const written = await browser.write(name, input)
    const overview = await browser.open(written)
    expect(await overview.page.locator('[data-plot=curve] .curve > path').count()).toBe(arms)
    await overview.shot(name)
    const query = await browser.open(written, '#q=lamps%2Fq0')
    await query.page.locator('.opener').first().click()
    await query.page.locator('.context-text').first().waitFor()
    expect(await query.accessibilityFaults()).toEqual([])
    expect(await query.page.locator('img').count()).toBe(0)
    await query.shot(`${name}-query`)
    expect([...overview.faults, ...query.faults]).toEqual([])
  })
})
