import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStowage, type Stowage } from '../../support/stowage.ts'
import { accessibilityFaults, launchChromium } from '../support/chromium.ts'
import { describeWith } from '../support/programs.ts'
import { SHOTS } from './support/browser.ts'

describeWith('chromium')('GET /v1/docs in a real browser', () => {
  let browser: Browser
  let stowage: Stowage
  beforeAll(async () => {
    stowage = await openStowage()
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await stowage?.close()
  })

  test.each([
    ['light', 1360],
    ['dark', 1360],
    ['light', 380],
  ] as const)(
    'is accessible (%s, %d pixels wide), has its styles, and loads nothing more',
    async (colorScheme, width) => {
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } })
      const faults: string[] = []
      page.on('console', message => faults.push(message.text()))
      page.on('request', request => faults.push(...(request.url() === `${stowage.url}/v1/docs` ? [] : [request.url()])))
      await page.goto(`${stowage.url}/v1/docs`)
      expect(await page.locator('h1').textContent()).toContain('stowage API')
      const bright = await page.evaluate(() => {
        const { body } = (globalThis as unknown as { document: { body: object } }).document
        const style = (
          globalThis as unknown as { getComputedStyle(of: object): Record<string, string> }
        ).getComputedStyle(body)
        return { background: style.backgroundColor, font: style.fontFamily }
      })
      expect(bright.font).toContain('system-ui')
      expect(bright.background).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(18, 18, 18)')
      for (const details of await page.locator('details').all())
        await details.evaluate(one => one.setAttribute('open', ''))
      expect(await accessibilityFaults(page)).toEqual([])
      const tooWide = () => {
        const { scrollWidth, clientWidth } = (
          globalThis as unknown as { document: { documentElement: Record<'scrollWidth' | 'clientWidth', number> } }
        ).document.documentElement
        return scrollWidth - clientWidth
      }
      expect(await page.evaluate(tooWide)).toBe(0)
      await page.screenshot({ path: `${SHOTS}/reference-${colorScheme}-${width}.png` })
      expect(faults).toEqual([])
      await page.close()
    },
  )
})
