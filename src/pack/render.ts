import { codePointStart, prefixOf } from '../core/prefix.ts'
import type { ContextFormat } from '../core/types.ts'
import { namedPath } from '../text/names/titled-path.ts'
import { inOneLine } from '../text/printable.ts'
import type { Block, Part } from './layout.ts'
import { escapeMarkdown, escapeMarkdownPart, fencedCode } from './markdown-frame.ts'

export const HEADING_SEPARATOR = ' > '
/** Marks left out text between two parts of a block. */
export const GAP = '\n[…]\n'

/** Writes blocks in one format. The context is the plain concatenation of these strings, so their token counts can be added. */
export interface Renderer {
  /** Opens a block. `index` counts from 1 and is the citation. */
  open(block: SourceLine, index: number): string
  /** The name of the section as the source line shows it, with the title in front where there is one name for both. */
  shownPath(block: Named, longestName: number): string
  close: string
  /** Escapes a part of the text of a block, to count it. */
  escape(text: string): string
  /** The escaped texts of a block with their context lines, which are no text of the document. */
  body(block: Pick<Block, 'parts' | 'language'>): string
  /** What stands around the text of a block in a language, to count it. */
  frame(language: string | null): string
  /** A context line as it stands before its text; '' where `contextField` has it. */
  contextLine(line: string): string
  /** The context lines of a block as a field of its source line; '' without lines, and where they stand before their texts. */
  contextField(lines: readonly string[]): string
  /** Text before the first block, between two blocks, and after the last one. */
  before: string
  between: string
  after: string
}

type Named = Pick<Block, 'docId' | 'docTitle' | 'pageTitle' | 'sourceName' | 'sectionPath'>

interface SourceLine extends Named {
  /** Probability that the block answers, in [0,1]; null leaves it out. */
  relevance: number | null
  /** See `longestNameIn`. */
  longestName: number
  contextField: string
}

export const RENDERERS: Record<ContextFormat, Renderer> = {
  markdown: {
    open: ({ longestName, ...block }, index) => `[${index}] ${shownName(block, longestName)}\n`,
    shownPath: shownName,
    close: '\n',
    escape: escapeMarkdownPart,
    // The parts of a chunk are escaped as one text, because a fence of one can end in another one. A fence that is open at the end of a chunk would swallow the next one.
    body: ({ parts, language }) =>
      language === null
        ? ofOneChunk(parts)
            .map(group => escapeMarkdown(joinParts(group, ({ contextLine, text }) => italicLine(contextLine) + text)))
            .join(GAP)
        : belowContextLines(parts)
            .map(
              ([line, group]) =>
                escapeMarkdownPart(italicLine(line)) +
                fencedCode(
                  joinParts(group, ({ text }) => text),
                  language,
                ),
            )
            .join(GAP),
    frame: language => (language === null ? '' : fencedCode('', language)),
    contextLine: italicLine,
    contextField: () => '',
    before: '',
    between: '\n',
    after: '',
  },
  xml: {
    open: ({ docId, sectionPath, relevance, longestName }, index) =>
      `<document index="${index}" source="${attribute(shortName(docId, LONGEST_NAME))}" section="${attribute(shownSection({ sectionPath }, longestName))}"${relevance === null ? '' : ` relevance="${relevance.toFixed(2)}"`}>\n`,
    shownPath: shownSection,
    close: '\n</document>\n',
    escape: escapeXml,
    body: ({ parts }) => joinParts(parts, ({ contextLine, text }) => contextElement(contextLine) + escapeXml(text)),
    frame: () => '',
    contextLine: contextElement,
    contextField: () => '',
    before: '<documents>\n',
    between: '',
    after: '</documents>\n',
  },
  json: {
    open: ({ docId, docTitle, pageTitle = docTitle, sectionPath, relevance, contextField, longestName }, index) =>
      `{"index":${index},"source":${JSON.stringify(shortName(docId, LONGEST_NAME))},"title":${JSON.stringify(shortName(pageTitle, longestName))},"section":${JSON.stringify(shownSection({ sectionPath }, longestName))}${relevance === null ? '' : `,"relevance":${relevance.toFixed(2)}`}${contextField},"text":"`,
    shownPath: shownSection,
    close: '"}',
    escape: escapeJson,
    body: ({ parts }) => escapeJson(joinParts(parts, ({ text }) => text)),
    frame: () => '',
    contextLine: () => '',
    contextField: lines => (lines.length === 0 ? '' : `,"contexts":${JSON.stringify(lines)}`),
    before: '[',
    between: ',\n',
    after: ']\n',
  },
}

/** Renders the context for the reader. No blocks give the empty string. @param relevanceOf null leaves the relevance out */
export function render(
  blocks: readonly Block[],
  renderer: Renderer,
  relevanceOf: ((block: Block) => number) | null,
  budgetTokens: number,
): string {
  const longestName = longestNameIn(budgetTokens)
  if (blocks.length === 0) return ''
  const rendered = blocks.map((block, index) => {
    const relevance = relevanceOf?.(block) ?? null
    const contextField = renderer.contextField(linesOf(block))
    return `${renderer.open({ ...block, relevance, contextField, longestName }, index + 1)}${renderer.body(block)}${renderer.close}`
  })
  return `${renderer.before}${rendered.join(renderer.between)}${renderer.after}`
}

/** The context lines of blocks as they stand in the context, in its order. Without them, it has texts of documents only. */
export function shownContextLines(blocks: readonly Block[], renderer: Renderer): string[] {
  return blocks
    .flatMap(block => [renderer.contextField(linesOf(block)), ...linesOf(block).map(renderer.contextLine)])
    .filter(shown => shown !== '')
}

const linesOf = ({ parts }: Block): string[] => parts.map(part => part.contextLine).filter(line => line !== '')

function joinParts(parts: readonly Part[], show: (part: Part) => string): string {
  return parts.map(show).join(GAP)
}

/** Runs of parts of which each begins in the chunk in which the one before ends. */
function ofOneChunk(parts: readonly Part[]): Part[][] {
  const groups: Part[][] = []
  for (const part of parts) {
    const group = groups.at(-1)
    if (part.isSameChunk && group) group.push(part)
    else groups.push([part])
  }
  return groups
}

/** Runs of parts, each with the context line of its first part and none behind it: a context line is no code. */
function belowContextLines(parts: readonly Part[]): [contextLine: string, group: Part[]][] {
  const groups: [string, Part[]][] = []
  for (const part of parts) {
    const last = groups.at(-1)
    if (last && part.contextLine === '') last[1].push(part)
    else groups.push([part.contextLine, [part]])
  }
  return groups
}

function italicLine(line: string): string {
  return line === '' ? '' : `*Context: ${line}*\n`
}

function contextElement(line: string): string {
  return line === '' ? '' : `<context>${escapeXml(line)}</context>\n`
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** Longest name of a source in a large context, in UTF-16 code units: about 60 tokens. A longer one would take the place of text. */
const LONGEST_NAME = 240
/** The longest name in a context of few tokens, which is not shorter in a smaller one: the start of a title and a heading are told by it. */
const LONGEST_SMALL_NAME = 40
/** For a budget between these: code units for each token. With about four for a token, a name takes less than a fifth of the budget. */
const NAME_PER_TOKEN = 0.72

/** The longest name of a source in a context of so many tokens, in UTF-16 code units. */
export function longestNameIn(budgetTokens: number): number {
  return Math.floor(Math.min(LONGEST_NAME, Math.max(LONGEST_SMALL_NAME, NAME_PER_TOKEN * budgetTokens)))
}

/**
 * A name with its middle left out when it is too long: its start names the document, its end the section. Each has half of the length, but the
 * last heading may have two thirds to be whole. Both are cut between words, unless a word is longer than half of its part.
 */
function shortName(name: string, longest: number): string {
  if (name.length <= longest) return name
  const room = longest - LEFT_OUT.length
  const heading = name.length - name.lastIndexOf(HEADING_SEPARATOR)
  const end = Math.max(Math.floor(room / 2), Math.min(heading, Math.floor((longest * 2) / 3)))
  return `${wordsAtStart(name, room - end)}${LEFT_OUT}${wordsAtEnd(name, end)}`
}

const LEFT_OUT = ' … '

function wordsAtStart(name: string, longest: number): string {
  const start = prefixOf(name, longest)
  const space = name[start.length] === ' ' ? start.length : start.lastIndexOf(' ')
  return (space < start.length / 2 ? start : start.slice(0, space)).trimEnd()
}

function wordsAtEnd(name: string, longest: number): string {
  const end = name.slice(codePointStart(name, name.length - longest))
  const space = name.at(-end.length - 1) === ' ' ? 0 : end.indexOf(' ')
  return (space > end.length / 2 ? end : end.slice(Math.max(0, space))).trimStart()
}

function shownName({ docId, docTitle, pageTitle, sourceName, sectionPath }: Named, longest: number): string {
  // An id that stands for a title has these words.
  const name = docTitle === '' ? undefined : sourceName && inOneLine(sourceName)
  const title = inOneLine(docTitle || docId)
  const path = namedPath(title, name, inOneLine(sectionPath))
  // The path is found by the whole title: its first headings can have the name of the site, too.
  const hasTitle = pageTitle !== undefined && path.startsWith(title)
  return shortName(hasTitle ? `${inOneLine(pageTitle)}${path.slice(title.length)}` : path, longest)
}

function shownSection({ sectionPath }: Pick<Block, 'sectionPath'>, longest: number): string {
  return shortName(sectionPath, longest)
}

function attribute(text: string): string {
  return escapeXml(inOneLine(text)).replaceAll('"', '&quot;')
}

/** Escapes markup and replaces characters that XML 1.0 forbids. */
function escapeXml(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML 1.0 forbids
      .replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/gu, '\uFFFD')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
  )
}
