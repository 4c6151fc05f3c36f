import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import type { JsonObject } from '../../core/types.ts'
import { FRONT_MATTER } from '../chunking/masking.ts'

interface FrontMatter {
  /** The title that it names; null without one. */
  title: string | null
  /** Its other fields; null without any, or when they are larger than 4,000 characters of JSON. */
  fields: JsonObject | null
  /** What could not be read or kept, as the end of a sentence; null when everything could. */
  fault: string | null
  /** Length of the front matter in the text; 0 without one. */
  length: number
}

const NONE: FrontMatter = { title: null, fields: null, fault: null, length: 0 }

/** Fields go into the payload of every chunk, so they are bounded. In UTF-16 code units of JSON. */
const MOST_FIELDS = 4_000
const TOO_MANY_FIELDS = `has more than ${MOST_FIELDS} characters of fields, which are left out`
/** A field, what stands below one, a comment or a blank line. Prose between two rules has other lines, and is a part of the document. */
const FIELD_LINE = /^(?:\s|#|$|[\w"'-]{1,80}[ \t]*[:=]|- |[[\]{}])/
/** Longer front matter is not parsed. */
const LONGEST = 64 * 1024

/** The fault of front matter as the end of a sentence that begins with the name of the file; null without one. */
export function frontMatterWarning({ fault }: FrontMatter): string | null {
  return fault === null ? null : `has front matter that ${fault}`
}

/** Reads YAML or TOML front matter. Text between two rules that holds no fields is not front matter. Never throws. */
export function readFrontMatter(text: string): FrontMatter {
  const [matter, fence, content = ''] = FRONT_MATTER.exec(text) ?? []
  if (matter === undefined) return NONE
  const { length } = matter
  if (content.length > LONGEST) return { ...NONE, fault: `is longer than ${LONGEST} characters`, length }
  try {
    const value: unknown =
      fence === '+++' ? parseToml(content) : parseYaml(content, { logLevel: 'error', schema: 'core' })
    if (value === null) return { ...NONE, length }
    if (typeof value !== 'object' || Array.isArray(value)) return NONE
    const { title, ...rest } = JSON.parse(JSON.stringify(value)) as JsonObject
    const fault = JSON.stringify(rest).length > MOST_FIELDS ? TOO_MANY_FIELDS : null
    const isKept = Object.keys(rest).length > 0 && fault === null
    const name = typeof title === 'string' || typeof title === 'number' ? String(title).trim() : ''
    return { title: name === '' ? null : name, fields: isKept ? rest : null, fault, length }
  } catch (error) {
    if (!content.split('\n').every(line => FIELD_LINE.test(line))) return NONE
    const [problem = ''] = (error as Error).message.split('\n')
    return { ...NONE, fault: `cannot be read: ${problem}`, length }
  }
}
