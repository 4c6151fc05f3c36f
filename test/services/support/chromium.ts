import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import axe, { type AxeResults } from 'axe-core'
import { chromium, type Page } from 'playwright-core'
import { folderOf } from './programs.ts'

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

export interface OpenOptions {
  colours?: 'light' | 'dark'
  width?: number
  /** Requests for other addresses are faults. */
  allowed: string
}

export interface OpenPage {
  page: Page
  /** Messages of the console above info, uncaught errors, dialogs, and requests for anything but what is allowed. */
  faults: string[]
  shot(name: string, part?: string): Promise<void>
  /** Faults that axe-core finds, each with its first element. */
  accessibilityFaults(): Promise<string[]>
}

export interface Chromium {
  /** Opens an address in a page of its own. */
  open(address: string, options: OpenOptions): Promise<OpenPage>
  close(): Promise<void>
}

/** A folder for screenshots below `.stowage`. Git ignores it, and CI keeps it. */
export function shotsFolder(name: string): string {
  return fileURLToPath(new URL(`../../../.stowage/${name}`, import.meta.url))
}

/** Starts Chromium. Only for tests inside of `describeWith('chromium')`. @param shots the folder for screenshots */
export async function startChromium(shots: string): Promise<Chromium> {
  await mkdir(shots, { recursive: true })
  const browser = await launchChromium()
  return {
    async open(address, { colours = 'light', width = 1360, allowed }) {
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
        if (!request.url().startsWith(allowed)) faults.push(`request ${request.url()}`)
      })
      await page.goto(address)
      return {
        page,
        faults,
        async shot(name, part) {
          const path = join(shots, `${name}-${colours}.png`)
          await (part === undefined
            ? page.screenshot({ path, fullPage: true })
            : page.locator(part).screenshot({ path }))
        },
        accessibilityFaults: () => accessibilityFaults(page),
      }
    },
    close: () => browser.close(),
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
