import { type Segment, type Tag, usualOf, widen } from './page-text.ts'

/** A piece of text as pdf.js gives it. */
interface TextItem {
  str: string
  dir: string
  width: number
  /** Matrix from text to user space. */
  transform: number[]
  fontName: string
}

/** Begin or end of content that a tag names, as pdf.js gives it. */
interface ContentMark {
  type: string
  id?: string | null
  tag?: string
}

export type PageItem = TextItem | ContentMark

export interface Font {
  isBold: boolean
  isMonospaced: boolean
}

interface PageContext {
  /** Matrix from user space to the page, y down. */
  viewport: readonly number[]
  fontOf(name: string): Font
  /** The tag of marked content, by its id. */
  tags: ReadonlyMap<string, Tag>
}

interface PlacedItem extends Segment {
  /** Direction of the text in radians; 0 is from left to right. */
  angle: number
}

/** A gap below this share of the font size does not end a segment. */
const JOINED = 0.6
/** A gap above this share of the font size is a space. */
const SPACE = 0.2
/** Text that leans more than this, in radians, is not part of the page: watermarks, labels of axes. */
const MOST_LEAN = 0.1

/** The bullet of LaTeX where its fonts are bitmaps, which do not name their characters. */
const TEX_BULLET = '\u0088'

/** Signs that stand for an accent, and the accent as a part of a letter. */
const ACCENTS: Readonly<Record<string, string>> = {
  ...{
    '`': '\u0300',
    '´': '\u0301',
    ˆ: '\u0302',
    '˜': '\u0303',
    '¯': '\u0304',
    '˘': '\u0306',
    '˙': '\u0307',
    '¨': '\u0308',
  },
  ...{ '˚': '\u030A', '˝': '\u030B', ˇ: '\u030C', '¸': '\u0327', '˛': '\u0328' },
}
/** A letter with an accent begins before the accent ends, by at least this share of the font size. */
const BELOW_ACCENT = 0.2

/** The segments of a page. Text at another angle than most of the page is left out, and text that is drawn twice is taken once. */
export function readSegments(items: readonly PageItem[], context: PageContext): Segment[] {
  const placed = withAccents(upright(placeItems(items, context)))
  const segments: Segment[] = []
  const drawn = new Set<string>()
  let hadSpace = false
  for (const item of placed) {
    if (item.text.trim() === '') {
      hadSpace = true
      continue
    }
    const key = `${item.text} ${Math.round(item.x0)} ${Math.round(item.y)}`
    if (drawn.has(key)) continue
    drawn.add(key)
    const last = segments.at(-1)
    if (last === undefined || !continues(last, item)) segments.push(item)
    else extend(last, item, hadSpace)
    hadSpace = false
  }
  return segments
}

function placeItems(items: readonly PageItem[], { viewport, fontOf, tags }: PageContext): PlacedItem[] {
  const placed: PlacedItem[] = []
  const marks: { tag: Tag | null; isArtifact: boolean }[] = []
  for (const [at, item] of items.entries()) {
    if ('type' in item) {
      const outer = marks.at(-1) ?? { tag: null, isArtifact: false }
      if (item.type === 'endMarkedContent') marks.pop()
      else
        marks.push({
          tag: tags.get(item.id ?? '') ?? outer.tag,
          isArtifact: outer.isArtifact || (tags.size > 0 && item.tag === 'Artifact'),
        })
      continue
    }
    const mark = marks.at(-1)
    const text = isTexBullet(item, items[at + 1]) ? '\u2022' : cleanText(item.str)
    if (mark?.isArtifact || text === '') continue
    const [a, b, c, d, e, f] = multiply(viewport, item.transform)
    const size = Math.hypot(c, d)
    if (!(size > 0) || !Number.isFinite(e + f + size)) continue
    const font = fontOf(item.fontName)
    placed.push({
      ...font,
      text,
      x0: e,
      x1: e + item.width,
      y: f,
      size,
      isRightToLeft: item.dir === 'rtl',
      tag: mark?.tag ?? null,
      angle: Math.atan2(b, a),
    })
  }
  return placed
}

/** Whether a space follows; an accent of a formula has none. */
function isTexBullet({ str }: TextItem, next: PageItem | undefined): boolean {
  return str === TEX_BULLET && next !== undefined && 'str' in next && next.str.trim() === ''
}

/** NUL, other control characters and zero-width marks go; spaces become plain. A soft hyphen stays: it says that a word goes on. */
function cleanText(text: string): string {
  return text
    .replace(/[\p{Cc}\u200B-\u200D\u2060\uFEFF]/gu, match => (/\s/.test(match) ? ' ' : ''))
    .replace(/\p{Zs}/gu, ' ')
}

export type Matrix = [number, number, number, number, number, number]

export function multiply(outer: readonly number[], inner: readonly number[]): Matrix {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = outer
  const [g = 1, h = 0, i = 0, j = 1, k = 0, l = 0] = inner
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f]
}

/** Turns the page so that most of its text is upright, and leaves out the rest. */
function upright(items: PlacedItem[]): PlacedItem[] {
  const main = usualOf(items, ({ angle }) => (Math.round(angle / (Math.PI / 2)) + 4) % 4)
  const turn = main * (Math.PI / 2)
  const kept = items.filter(({ angle }) => Math.abs(Math.sin(angle - turn)) < MOST_LEAN && Math.cos(angle - turn) > 0)
  if (main === 0) return kept
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)]
  return kept.map(item => {
    const x0 = item.x0 * cos + item.y * sin
    return { ...item, x0, x1: x0 + item.x1 - item.x0, y: item.y * cos - item.x0 * sin }
  })
}

/** Fonts of TeX without letters that have an accent draw the accent as a sign, and then the letter below it. */
function withAccents(items: readonly PlacedItem[]): PlacedItem[] {
  const joined: PlacedItem[] = []
  for (const item of items) {
    const before = joined.at(-1)
    const letter = before && accented(before, item)
    if (!before || !letter) joined.push(item)
    else {
      const rest = { ...before, text: before.text.slice(0, -1), x1: Math.min(before.x1, item.x0) }
      joined.splice(-1, 1, ...(rest.text === '' ? [] : [rest]), { ...item, text: letter + item.text.slice(1) })
    }
  }
  return joined
}

/** The first letter of an item with the accent that the item before ends with; null without one above it. */
function accented(before: PlacedItem, item: PlacedItem): string | null {
  const accent = ACCENTS[before.text.at(-1) ?? '']
  const isBelow = before.x1 - item.x0 > BELOW_ACCENT * item.size && Math.abs(before.y - item.y) < 0.5 * item.size
  if (accent === undefined || !isBelow) return null
  const first = item.text.charAt(0).replace('\u0131', 'i').replace('\u0237', 'j')
  const letter = `${first}${accent}`.normalize('NFC')
  return letter.length === 1 ? letter : null
}

function continues(last: Segment, item: Segment): boolean {
  const size = Math.max(last.size, item.size)
  if (Math.abs(last.y - item.y) > (last.size === item.size ? 0.2 : 0.45) * size) return false
  if (last.tag !== null && item.tag !== null && last.tag.block !== item.tag.block) return false
  const gap = gapBetween(last, item)
  return gap < JOINED * size && gap > -0.5 * size
}

function gapBetween(last: Segment, item: Segment): number {
  return last.isRightToLeft || item.isRightToLeft ? last.x0 - item.x1 : item.x0 - last.x1
}

function extend(last: Segment, item: Segment, hadSpace: boolean): void {
  const isSpaced = hadSpace || gapBetween(last, item) > SPACE * Math.max(last.size, item.size)
  const space = isSpaced && !last.text.endsWith(' ') && !item.text.startsWith(' ') ? ' ' : ''
  last.isBold &&= item.isBold
  last.isMonospaced &&= item.isMonospaced
  last.text += space + item.text
  widen(last, item)
  if (item.size > last.size) last.y = item.y
  last.size = Math.max(last.size, item.size)
  last.tag ??= item.tag
}
