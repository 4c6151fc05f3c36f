export interface XmlElement {
  name: string
  attributes: Record<string, string>
  /** Its own text, entities resolved. */
  text: string
  children: XmlElement[]
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML 1.0 forbids
const FORBIDDEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/u
const TAG = /^<(?:\/([\w-]+)\s*|([\w-]+)((?:\s+[\w-]+="[^"<]*")*)\s*(\/?))>/
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/**
 * Reads the XML that a packed context may use: elements, double-quoted attributes, text and the five entities.
 * @throws Error for whatever is not well-formed
 */
export function parseXml(xml: string): XmlElement {
  if (FORBIDDEN.test(xml)) throw new Error('a character that XML 1.0 forbids')
  const root: XmlElement = { name: '', attributes: {}, text: '', children: [] }
  const open = [root]
  for (let rest = xml; rest !== ''; ) {
    const current = open.at(-1) ?? root
    if (!rest.startsWith('<')) {
      const length = rest.includes('<') ? rest.indexOf('<') : rest.length
      current.text += resolve(rest.slice(0, length))
      rest = rest.slice(length)
      continue
    }
    const [tag, closed, name = '', attributes = '', empty] = TAG.exec(rest) ?? fail(`no tag: ${rest.slice(0, 80)}`)
    if (closed !== undefined) {
      if (open.pop()?.name !== closed) fail(`</${closed}> closes nothing`)
    } else {
      const element = { name, attributes: readAttributes(attributes), text: '', children: [] }
      current.children.push(element)
      if (empty === '') open.push(element)
    }
    rest = rest.slice(tag.length)
  }
  const [element, ...others] = root.children
  if (open.length !== 1 || !element || others.length > 0 || root.text.trim() !== '') return fail('not one closed root')
  return element
}

function readAttributes(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, resolve(value)])
  if (new Set(pairs.map(([name]) => name)).size !== pairs.length) fail(`an attribute twice: ${text}`)
  return Object.fromEntries(pairs)
}

function resolve(text: string): string {
  return text.replace(/&(\w+;)?/g, (_whole, entity?: string) => {
    return ENTITIES[entity?.slice(0, -1) ?? ''] ?? fail(`a bare & in ${text.slice(0, 80)}`)
  })
}

function fail(message: string): never {
  throw new Error(message)
}
