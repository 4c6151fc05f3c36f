import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { readPdf } from '../../../../src/ingest/documents/pdf/read-pdf.ts'

export const PDF_FOLDER = new URL('../fixtures/pdf/', import.meta.url)

/** What the sources in `fixtures/make` say: headings in order as `level title`, and phrases in reading order with their page. */
export interface Expected {
  title: string | null
  headings: string[] | 'unknown'
  phrases: [phrase: string, page: number][]
  absent?: string[]
}

export const EXPECTED: Readonly<Record<string, Expected>> = JSON.parse(
  readFileSync(new URL('../fixtures/expected.json', import.meta.url), 'utf8'),
)

export const readFixture = (name: string) => readPdf(readFileSync(new URL(name, PDF_FOLDER)))

/** Reads a fixture, and compares title, headings, phrases and their pages with what its source says. */
export async function checkFixture(name: string, expected: Expected): Promise<void> {
  const document = await readFixture(name)
  if ('fault' in document) throw new Error(document.reason)
  const headings = [...document.text.matchAll(/^(#+) (.*)$/gm)].map(([, marks = '', text]) => `${marks.length} ${text}`)
  expect(headings).toEqual(expected.headings === 'unknown' ? [] : expected.headings)
  expect(document.title).toBe(expected.title)
  expect(document.headings).toBe(expected.headings === 'unknown' ? 'unknown' : 'marked')
  let at = 0
  for (const [phrase, page] of expected.phrases) {
    const found = document.text.indexOf(phrase, at)
    expect(found, `${phrase} after ${document.text.slice(Math.max(0, at - 80), at)}`).toBeGreaterThanOrEqual(at)
    expect(
      document.pages?.findLastIndex(start => start <= found),
      phrase,
    ).toBe(page - 1)
    at = found
  }
  for (const phrase of expected.absent ?? []) expect(document.text).not.toContain(phrase)
}
