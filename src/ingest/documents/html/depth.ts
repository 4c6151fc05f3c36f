import { wordSet } from '../../../core/collections.ts'

/** A comment, the beginning of a CDATA section, what is read like a comment, or the beginning of a tag. */
const MARKUP = /<!--(?:-?>|[\s\S]*?(?:--!?>|$))|(<!\[CDATA\[)|<(?:[!?]|\/(?![a-z]))[^>]*|<(\/?)([a-z][^\s/>]*)/gi
/** Attributes, whose values may hold `>` in quotation marks (HTML standard, 13.2.5.32 to 39). So many at once, because each of them takes memory of the pattern. */
const ATTRIBUTES = /(?:\s+|\/(?!>)|[^\s/>][^\s/>=]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>"'][^\s>]*)?)?){1,1000}/y

/** Elements without content, and those that may end without an end tag. */
const UNCOUNTED = wordSet('area base br col embed hr img input link meta source track wbr p li td tr th option dt dd')
/** What they hold is text, up to their end tag. */
const RAW_TEXT = wordSet('script style textarea title xmp iframe noembed noframes')
/** Elements of HTML that end SVG and MathML around them (HTML standard, 13.2.6.5). */
const BREAKS_OUT = wordSet(`
  b big blockquote body br center code dd div dl dt em embed font h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre
  ruby s small span strong strike sub sup table tt u ul var`)
/** Elements of SVG and MathML that hold HTML. */
const HOLDS_HTML = wordSet('foreignobject desc title mi mo mn ms mtext annotation-xml')

/**
 * About how deep the elements of a page are nested, counted up to one more than `most`. Elements that may end without an end tag do not count.
 * A slash closes a tag only inside of SVG and MathML, and where that is in doubt it counts as HTML. Time is linear in the length of the page.
 */
export function depthOf(html: string, most: number): number {
  const markup = new RegExp(MARKUP)
  let depth = 0
  let deepest = 0
  /** The open elements of SVG or MathML; none in HTML. */
  const foreign: string[] = []
  for (let found = markup.exec(html); found !== null && deepest <= most; found = markup.exec(html)) {
    const [, cdata, slash, tagName] = found
    if (cdata !== undefined) markup.lastIndex = endOf(html, foreign.length > 0 ? /\]\]>/g : />/g, markup.lastIndex)
    if (tagName === undefined) continue
    const name = tagName.toLowerCase()
    markup.lastIndex = endOfAttributes(html, markup.lastIndex)
    if (slash === '/') {
      const at = foreign.lastIndexOf(name)
      if (at >= 0) depth -= foreign.length - at
      else if (!UNCOUNTED.has(name)) depth = Math.max(0, depth - 1)
      foreign.length = Math.max(0, at)
      continue
    }
    if (HOLDS_HTML.has(foreign.at(-1) ?? '')) foreign.length = 0
    if (BREAKS_OUT.has(name)) depth -= foreign.splice(0).length
    const isForeign = foreign.length > 0 || name === 'svg' || name === 'math'
    if (isForeign ? html[markup.lastIndex] === '/' : UNCOUNTED.has(name)) continue
    depth += 1
    deepest = Math.max(deepest, depth)
    if (isForeign) foreign.push(name)
    else if (RAW_TEXT.has(name))
      markup.lastIndex = endOf(html, new RegExp(`(?=</${name}[\\s/>])`, 'gi'), markup.lastIndex)
  }
  return deepest
}

/** Where the first match behind an offset ends; the end of the text without one. */
function endOf(text: string, pattern: RegExp, from: number): number {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : text.length
}

function endOfAttributes(html: string, from: number): number {
  const attributes = new RegExp(ATTRIBUTES)
  let end = from
  for (attributes.lastIndex = from; attributes.test(html); ) end = attributes.lastIndex
  return end
}
