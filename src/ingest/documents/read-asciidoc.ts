import { Extensions, load } from '@asciidoctor/core'
import { frontMatterWarning, readFrontMatter } from '../markup/front-matter.ts'
import { type Converted, primaryLanguage, warningOf } from './converted.ts'
import { decodeText } from './decode-text.ts'
import { htmlToMarkdown } from './html/read-html.ts'

/** Attributes of the time of reading stay as they are written: else a text with one would change with each run. */
const CLOCK = ['docdate', 'doctime', 'docdatetime', 'docyear', 'localdate', 'localtime', 'localdatetime', 'localyear']
const NO_CLOCK = Object.fromEntries(CLOCK.map(name => [name, `{${name}}`]))
/** Files that the warning names; more are counted. */
const SHOWN_INCLUDES = 3

/**
 * Reads AsciiDoc as markdown. No other file is read and nothing is fetched: the mode `secure` of Asciidoctor forbids it, and includes are
 * left out before it comes to that.
 */
export async function readAsciidoc(bytes: Uint8Array): Promise<Converted> {
  const decoded = decodeText(bytes)
  if ('fault' in decoded) return decoded
  const frontMatter = readFrontMatter(decoded.text)
  const included: string[] = []
  const extensions = Extensions.create()
  extensions.includeProcessor(function () {
    this.handles(() => true)
    this.process((_document, _reader, target) => {
      included.push(target)
    })
  })
  const document = await load(decoded.text.slice(frontMatter.length), {
    safe: 'secure',
    extension_registry: extensions,
    logger: null,
    attributes: { showtitle: '', ...NO_CLOCK },
  })
  const converted = htmlToMarkdown(await document.convert())
  if ('fault' in converted) return converted
  return {
    ...converted,
    title: frontMatter.title ?? converted.title,
    lang: primaryLanguage(document.getAttribute('lang')),
    frontMatter: frontMatter.fields,
    warning: warningOf([decoded.warning, frontMatterWarning(frontMatter), includeWarning(included)]),
  }
}

function includeWarning(targets: readonly string[]): string | null {
  if (targets.length === 0) return null
  const files = [...new Set(targets)]
  const shown = files.slice(0, SHOWN_INCLUDES).join(', ')
  const others = files.length - SHOWN_INCLUDES
  return `leaves out what it includes: ${shown}${others > 0 ? ` and ${others} more` : ''}`
}
