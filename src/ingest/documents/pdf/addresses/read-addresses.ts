import type { PdfPage } from '../open-pdf.ts'

/** The addresses of the links of a page, as the file writes them, each once. */
export async function readAddresses(page: PdfPage): Promise<string[]> {
  const links = (await page.getAnnotations().catch(() => [])) as { unsafeUrl?: unknown }[]
  return [...new Set(links.flatMap(({ unsafeUrl }) => (typeof unsafeUrl === 'string' ? [unsafeUrl] : [])))]
}
