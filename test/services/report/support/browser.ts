import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import axe, { type AxeResults } from 'axe-core'
import { chromium, type Page } from 'playwright-core'
import { type HtmlReportInput, htmlReport } from '../../../../src/evaluation/report/html/html-report.ts'
import { folderOf } from '../../support/programs.ts'

/** Git ignores this folder. CI keeps it. */
export const SHOTS = fileURLToPath(new URL('../../../../.stowage/report-shots', import.meta.url))
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

export interface ReportBrowser {
  /** Opens a report in a page of its own. @param hash the view, such as `#q=lamps/q0` */
  open(file: string, hash?: string, colours?: 'light' | 'dark', width?: number): Promise<OpenReport>
  /** Writes a report to a file. */
  write(name: string, input: HtmlReportInput): Promise<string>
  close(): Promise<void>
}

export interface OpenReport {
  page: Page
  /** Messages of the console above info, uncaught errors, dialogs, and requests for anything but the file. */
  faults: string[]
  shot(name: string, part?: string): Promise<void>
  /** Faults that axe-core finds, each with its first element. */
  accessibilityFaults(): Promise<string[]>
}

/** Starts Chromium. Only for tests inside of `describeWith('chromium')`. */
export async function startBrowser(): Promise<ReportBrowser> {
  const folder = await mkdtemp(join(tmpdir(), 'stowage-report-'))
  await mkdir(SHOTS, { recursive: true })
  const browser = await launchChromium()
  return {
    async write(name, input) {
      const file = join(folder, `${name}.html`)
      await writeFile(file, await htmlReport(input))
      return file
    },
    async open(file, hash = '', colours = 'light', width = 1360) {
      const page = await browser.newPage({
        colorScheme: colours,
        viewport: { width, height: 900 },
        reducedMotion: 'reduce',
      })
      const faults: string[] = []
      page.on('console', message => {
        if (['error', 'warning'].includes(message.type())) faults.push(message.text())
      })
      page.on('pageerror', error => faults.push(String(error)))
      page.on('dialog', dialog => {
        faults.push(`dialog ${dialog.message()}`)
        void dialog.dismiss()
      })
      page.on('request', request => {
        if (!request.url().startsWith('file:')) faults.push(`request ${request.url()}`)
      })
      await page.goto(`${pathToFileURL(file)}${hash}`)
      await page.locator('main h1').waitFor()
      await page.locator('.plot svg').first().waitFor()
      return {
        page,
        faults,
        async shot(name, part) {
          const path = join(SHOTS, `${name}-${colours}.png`)
          await (part === undefined
            ? page.screenshot({ path, fullPage: true })
            : page.locator(part).screenshot({ path }))
        },
        accessibilityFaults: () => accessibilityFaults(page),
      }
    },
    async close() {
      await browser.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A container has no user namespaces for the sandbox. The only pages are those of the tests. */
export const launchChromium = () =>
  chromium.launch({ executablePath: join(folderOf('chromium'), 'chromium'), args: ['--no-sandbox'] })

/** Faults that axe-core finds, each with its first element. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(
    rules => (globalThis as unknown as { axe: typeof axe }).axe.run({ runOnly: rules }) as Promise<AxeResults>,
    RULES,
  )
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary ?? ''}`,
  )
}
