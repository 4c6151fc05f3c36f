import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type HtmlReportInput, htmlReport } from '../../../../src/evaluation/report/html/html-report.ts'
import { type OpenPage, shotsFolder, startChromium } from '../../support/chromium.ts'

export const SHOTS = shotsFolder('report-shots')

export interface ReportBrowser {
  /** Opens a report in a page of its own. @param hash the view, such as `#q=lamps/q0` */
  open(file: string, hash?: string, colours?: 'light' | 'dark', width?: number): Promise<OpenPage>
  /** Writes a report to a file. */
  write(name: string, input: HtmlReportInput): Promise<string>
  close(): Promise<void>
}

/** Starts Chromium. Only for tests inside of `describeWith('chromium')`. */
export async function startBrowser(): Promise<ReportBrowser> {
  const folder = await mkdtemp(join(tmpdir(), 'stowage-report-'))
  const chromium = await startChromium(SHOTS)
  return {
    async write(name, input) {
      const file = join(folder, `${name}.html`)
      await writeFile(file, await htmlReport(input))
      return file
    },
    async open(file, hash = '', colours = 'light', width = 1360) {
      const opened = await chromium.open(`${pathToFileURL(file)}${hash}`, { colours, width, allowed: 'file:' })
      await opened.page.locator('main h1').waitFor()
      await opened.page.locator('.plot svg').first().waitFor()
      return opened
    },
    async close() {
      await chromium.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
