import { unknownName } from '../../core/schema-faults.ts'

/** What a template can hold. `document` is the segment that holds the chunk. */
const PLACEHOLDERS = ['document', 'chunk', 'title', 'section_path'] as const
type Placeholder = (typeof PLACEHOLDERS)[number]
/** These differ between the chunks of a document. */
const OF_CHUNK: readonly Placeholder[] = ['chunk', 'section_path']

type TemplatePart = { text: string } | { placeholder: Placeholder }

export interface PromptTemplate {
  /** All that is the same for each chunk of a segment. */
  prefix: readonly TemplatePart[]
  suffix: readonly TemplatePart[]
  /** Names of the tags that the template writes. Texts cannot open or close them. */
  tags: readonly string[]
}

const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/gu
const TAG = /<\/?([a-z][\w-]{0,63})/giu
/** In UTF-16 code units. */
const LONGEST = 20_000

/** Reads a template, such as the text of `CONTEXT_PROMPT_FILE`. @returns faults without a place; the template when there are none */
export function readTemplate(text: string): { template: PromptTemplate | null; faults: string[] } {
  if (text.length > LONGEST) return { template: null, faults: [`has more than ${LONGEST} characters`] }
  const parts: TemplatePart[] = []
  const faults: string[] = []
  let from = 0
  for (const { 0: whole, 1: name = '', index } of text.matchAll(PLACEHOLDER)) {
    const placeholder = PLACEHOLDERS.find(known => known === name)
    if (placeholder === undefined) faults.push(unknownName(name, 'placeholder', PLACEHOLDERS))
    else parts.push({ text: text.slice(from, index) }, { placeholder })
    from = index + whole.length
  }
  parts.push({ text: text.slice(from) })
  const at = (wanted: Placeholder) => parts.findIndex(part => 'placeholder' in part && part.placeholder === wanted)
  for (const needed of ['document', 'chunk'] as const) if (at(needed) < 0) faults.push(`{{${needed}}} is missing`)
  const split = parts.findIndex(part => 'placeholder' in part && OF_CHUNK.includes(part.placeholder))
  if (at('document') > split && split >= 0)
    faults.push('{{document}} must stand before {{chunk}} and {{section_path}}, so that the endpoint can cache it')
  if (faults.length > 0) return { template: null, faults: [...new Set(faults)] }
  const tags = [...new Set([...text.matchAll(TAG)].map(([, name = '']) => name.toLowerCase()))]
  return { template: { prefix: parts.slice(0, split), suffix: parts.slice(split), tags }, faults: [] }
}

/** Replaces the placeholders once: braces in the values stay as they are. A value cannot open or close a tag of the template. */
export function fillTemplate(
  parts: readonly TemplatePart[],
  values: Readonly<Record<Placeholder, string>>,
  tags: readonly string[],
): string {
  return parts.map(part => ('text' in part ? part.text : escapeTags(values[part.placeholder], tags))).join('')
}

function escapeTags(text: string, tags: readonly string[]): string {
  if (tags.length === 0) return text
  return text.replace(new RegExp(`<(?=[\\s/]*(?:${tags.join('|')})(?![\\w-]))`, 'giu'), '&lt;')
}
