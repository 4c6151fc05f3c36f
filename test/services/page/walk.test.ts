import { afterAll, beforeAll, expect, test } from 'vitest'
import { chunk, fill } from '../../support/points.ts'
import { openStowage, type Stowage } from '../../support/stowage.ts'
import { declareTenants, openTenantsFile } from '../../support/tenants-file.ts'
import { type Chromium, type OpenPage, shotsFolder, startChromium } from '../support/chromium.ts'
import { describeWith } from '../support/programs.ts'

const SHOTS = shotsFolder('page-shots')
const HOSTILE = '</script><img src=x onerror=alert(1)><b>bold</b> \u202E سفينة'
const QUESTION = 'Which grease keeps the lower pumps running?'
const KEEP = 'The lower pumps are greased with tallow in winter and with whale oil in summer, each seventh day.'
const BIG = '18446744073709551615'

/** Documents with copies, so that plain top-k repeats itself, one that is hostile, and many that say little. */
const POINTS = [
  chunk(1, `${KEEP} The warden signs for it.`, {
    doc_title: 'Pump handbook',
    section_path: 'Pump handbook > Greasing',
  }),
  chunk(2, `${KEEP} The warden signs for it.`, { doc_title: 'Copied handbook', section_path: 'Greasing' }),
  chunk(3, `Pumps and grease. ${HOSTILE} Lower pumps keep running.`, { doc_title: HOSTILE, section_path: HOSTILE }),
  chunk(BIG, 'Grease is stored above the lower gate, and pumps are painted.'),
  ...Array.from({ length: 24 }, (_, n) =>
    chunk(100 + n, `Lamp ${n} of the pumps is lit by keeper ${n}, whatever the sea does.`),
  ),
]

describeWith('chromium')('a walk through the page', () => {
  let chromium: Chromium
  let stowage: Stowage
  beforeAll(async () => {
    chromium = await startChromium(SHOTS)
    stowage = await openStowage({ UI: 'on' })
    await fill(stowage.url, 'pumps', POINTS)
    console.log(`screenshots: ${SHOTS}`)
  })
  afterAll(async () => {
    await chromium?.close()
    await stowage?.close()
  })

  const open = (hash = '', options: { colours?: 'light' | 'dark'; width?: number } = {}) =>
    chromium.open(`${stowage.url}/v1/ui${hash}`, { ...options, allowed: stowage.url })
  const filled = `#${new URLSearchParams({ query: QUESTION, collection: 'pumps', budget: '160' })}`
  async function compared(options: Parameters<typeof open>[1] = {}): Promise<OpenPage> {
    const opened = await open(filled, options)
    await opened.page.getByRole('button', { name: 'Compare' }).click()
    await opened.page.getByRole('heading', { name: 'Both contexts' }).waitFor()
    return opened
  }

  test('asks by keyboard alone, with the only collection filled in, and shows both contexts', async () => {
    const { page, faults } = await open()
    await expect.poll(() => page.getByLabel('Collection').inputValue()).toBe('pumps')
    for (let step = 0; !(await page.evaluate('document.activeElement.id === "query"')); step++) {
      if (step > 20) throw new Error('Tab does not reach the question')
      await page.keyboard.press('Tab')
    }
    await page.keyboard.type(QUESTION)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('160')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Both contexts' }).waitFor()
    expect(await page.getByRole('status').first().textContent()).toContain('Done: stowage packed')
    const plain = page.getByRole('article', { name: 'Context of plain top-k' })
    expect(await plain.textContent()).toContain('repeated: stands above already')
    expect(await plain.locator('.bar .again').count()).toBe(1)
    const own = page.getByRole('article', { name: 'Context of stowage' })
    expect(await own.textContent()).toContain('nothing repeated')
    expect((await own.locator('mark').allTextContents()).join()).toContain('lower pumps')
    expect(faults).toEqual([])
  })

  test('marks the expected answer, and says how much of it is there', async () => {
    const { page, faults } = await compared()
    await page.getByLabel('Text of the answer that you expect (optional)').fill('greased with TALLOW in winter')
    const own = page.getByRole('article', { name: 'Context of stowage' })
    await expect.poll(() => own.locator('mark').allTextContents()).toEqual(['greased with tallow in winter'])
    expect(await own.textContent()).toContain('100 % of the words of the expected answer are here')
    expect(faults).toEqual([])
  })

  test('shows texts of documents as texts', async () => {
    const { page, faults } = await compared()
    await page.getByLabel('Contains').fill('onerror')
    await page.locator('.opener').first().click()
    expect(await page.locator('.detail:visible blockquote').textContent()).toContain(HOSTILE)
    expect(await page.locator('img, .detail b').count()).toBe(0)
    expect(faults).toEqual([])
  })

  test('sorts, filters and opens candidates, and says why not', async () => {
    const { page, faults } = await compared()
    const table = page.getByRole('table', { name: 'Candidates of stowage' })
    const rows = table.locator('tbody tr:not(.detail)')
    const all = await rows.count()
    expect(all).toBe(POINTS.length)
    await page.getByLabel('Show').selectOption('duplicate')
    expect(await rows.count()).toBe(1)
    expect(await rows.first().textContent()).toContain('Greasing')
    await rows.first().locator('.opener').focus()
    await page.keyboard.press('Enter')
    expect(await table.locator('.detail:visible').textContent()).toContain('A better candidate has the same place')
    await page.getByLabel('Show').selectOption('')
    await page.getByRole('button', { name: 'Fused' }).click()
    expect(await table.locator('th[aria-sort]').getAttribute('aria-sort')).toBe('descending')
    const why = page.getByLabel('Id, document or text')
    const said = () => page.locator('.why').textContent()
    await why.fill('1')
    await expect.poll(said).toContain('dropped because of duplicate')
    await why.fill(BIG)
    await expect.poll(said).toContain(`(point ${BIG})`)
    await why.fill('987654')
    await expect.poll(said).toContain('There is no point 987654 in pumps that your key reads.')
    expect(await said()).toContain('Never retrieved')
    await page.getByLabel('Run').first().selectOption('plain top-k')
    await expect.poll(() => page.getByRole('table', { name: 'Candidates of plain top-k' }).count()).toBe(1)
    expect(faults).toEqual([])
  })

  test('shares a request by its link, and lists the recent ones', async () => {
    const { page, faults } = await compared()
    const href = await page.locator('a[href^="#trace="]').first().getAttribute('href')
    const shared = await open(href ?? '')
    await shared.page.getByRole('heading', { name: 'The context' }).waitFor()
    expect(await shared.page.locator('.asked').textContent()).toBe(QUESTION)
    expect(await shared.page.locator('.blocks').textContent()).toContain('whale oil in summer')
    await page.getByRole('link', { name: 'Recent requests' }).click()
    await page.getByRole('table', { name: 'Recent requests' }).waitFor()
    await page.getByLabel('Question contains').fill('no such question')
    await page.getByText('No request fits these filters.').waitFor()
    await page.getByLabel('Question contains').fill('LOWER PUMPS')
    await page.getByRole('table', { name: 'Recent requests' }).getByRole('link').first().click()
    await page.getByRole('heading', { name: 'One request' }).waitFor()
    await page.goBack()
    await page.goBack()
    await page.getByRole('heading', { name: 'Both contexts' }).waitFor()
    expect([...faults, ...shared.faults]).toEqual([])
  })

  test('says what went wrong, with the code of stowage, and cancels by Escape', async () => {
    const { page } = await open(filled)
    await page.getByLabel('Collection').fill('nowhere')
    await page.getByRole('button', { name: 'Compare' }).click()
    await expect.poll(() => page.getByRole('alert').first().textContent()).toContain('collection_not_found')
    await page.getByLabel('Collection').fill('pumps')
    let release = () => {}
    await page.route('**/v1/ui/compare', route => {
      release = () => void route.abort()
    })
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByText('Escape cancels').waitFor()
    // The page listens to keys from the frame after the one that shows the text.
    await expect
      .poll(async () => {
        await page.keyboard.press('Escape')
        return page.getByText('Cancelled.').isVisible()
      })
      .toBe(true)
    release()
    await page.unroute('**/v1/ui/compare')
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByRole('heading', { name: 'Both contexts' }).waitFor()
    const unknown = await open('#trace=unknown')
    await unknown.page.getByText('The last few hundred requests are kept').waitFor()
  })

  test('needs the key of the tenant, and shows the points of the tenant only', async () => {
    const file = await openTenantsFile(declareTenants({ acme: {}, beta: {} }))
    const points = ['acme', 'beta'].map((tenant, n) => chunk(n + 1, `${tenant} greases the lower pumps.`, { tenant }))
    const engine = await openStowage()
    await fill(engine.url, 'pumps', points)
    const guarded = await openStowage({ UI: 'on', TENANTS_FILE: file.path, QDRANT_URL: engine.url })
    const { page } = await chromium.open(`${guarded.url}/v1/ui${filled}`, { allowed: guarded.url })
    await page.getByRole('button', { name: 'Compare' }).click()
    await expect.poll(() => page.getByRole('alert').first().textContent()).toContain('Enter the key at the top')
    await page.getByLabel('Key', { exact: true }).fill('acme')
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByRole('heading', { name: 'Both contexts' }).waitFor()
    const text = await page.locator('main').textContent()
    expect(text).toContain('acme greases')
    expect(text).not.toContain('beta greases')
    await page.reload()
    expect(await page.getByLabel('Key', { exact: true }).inputValue()).toBe('acme')
    expect(await page.evaluate('JSON.stringify([localStorage.length, document.cookie, location.href])')).not.toContain(
      'acme',
    )
    await page.close()
    await guarded.close()
    await engine.close()
    await file.remove()
  })

  test.each(['light', 'dark'] as const)('is accessible and legible in %s, and at 400 pixels', async colours => {
    const empty = await open('', { colours })
    await empty.page.getByLabel('Question').waitFor()
    expect(await empty.accessibilityFaults()).toEqual([])
    await empty.shot('empty')
    const done = await compared({ colours })
    await done.page.getByLabel('Id, document or text').fill('lamps of glass')
    await done.page.locator('.opener').nth(1).click()
    expect(await done.accessibilityFaults()).toEqual([])
    await done.shot('compared')
    const href = await done.page.locator('a[href^="#trace="]').first().getAttribute('href')
    await done.page.getByRole('link', { name: 'Recent requests' }).click()
    await done.page.getByRole('table', { name: 'Recent requests' }).waitFor()
    expect(await done.accessibilityFaults()).toEqual([])
    await done.shot('recent')
    const trace = await open(href ?? '', { colours })
    await trace.page.getByRole('heading', { name: 'The context' }).waitFor()
    expect(await trace.accessibilityFaults()).toEqual([])
    await trace.shot('trace')
    const narrow = await compared({ colours, width: 400 })
    expect(await narrow.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(400)
    expect(await narrow.accessibilityFaults()).toEqual([])
    await narrow.shot('narrow')
    expect([empty, done, trace, narrow].flatMap(({ faults }) => faults)).toEqual([])
  })
})
