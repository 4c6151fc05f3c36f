import { describe, expect, it } from 'vitest'
import { chunkDocument } from '../../src/ingest/chunking/chunk-document.ts'
import { chunkMarkdown, type DocumentChunk } from '../../src/ingest/chunking/chunk-markdown.ts'
import { cutCode } from '../../src/ingest/chunking/code-chunks.ts'
import { GO, PYTHON } from '../text/code/samples.ts'

/** Words and signs. */
const count = (text: string): number => text.match(/\w+|[^\w\s]/gu)?.length ?? 0

const chunk = (text: string, targetTokens: number): DocumentChunk[] => chunkMarkdown({ text }, { targetTokens, count })

/** Functions with comments, of `lines` statements each. */
const functions = (names: readonly string[], lines: number): string =>
  names
    .map(name => {
      const body = Array.from({ length: lines }, (_, at) => `\tgate.open(${at})`).join('\n')
      return `// ${name} opens the gates.\nfunc ${name}(gate *Gate) {\n${body}\n}\n`
    })
    .join('\n')

describe('chunkMarkdown, source code', () => {
  it('cuts between functions, which have their comments', () => {
    const chunks = chunk(`package lock\n\n${functions(['a', 'b', 'c', 'd'], 8)}`, 80)
    expect(chunks).toHaveLength(4)
    for (const { text } of chunks) expect(text).toMatch(/\/\/ \w opens the gates\.\nfunc [^}]*\}$/)
  })

  it('joins small functions, and repeats nothing', () => {
    const text = functions(['a', 'b', 'c', 'd', 'e', 'f'], 1)
    const chunks = chunk(text, 60)
    expect(chunks.length).toBeLessThan(6)
    expect(chunks.map(one => one.text).join('\n\n')).toBe(text.trim())
  })

  it('cuts a long function between its statements, and never between a comment or a signature and what follows', () => {
    for (const target of [30, 40, 80]) {
      for (const { text } of [...chunk(functions(['a'], 40), target), ...chunk(GO, target), ...chunk(PYTHON, target)]) {
        expect(text).not.toMatch(/(?:^|\n)\s*(?:\/\/ (?!Copyright).*|# .*|@\w+|func .*\{|def .*:)$/)
        expect(text).not.toMatch(/^\s*[)}\]]/)
      }
    }
  })

  it('reads no headings and no lists in comments and instructions', () => {
    const text = `#include <gate.h>\n# Opens gates\n\n${functions(['a', 'b'], 10)}\n/*\n * - one\n * - two\n */\n`
    for (const { sectionPath } of chunk(text, 60)) expect(['', 'func a', 'func b']).toContain(sectionPath)
  })

  it('names the functions and classes that a chunk is in as a whole', () => {
    const methods = ['open', 'close']
      .map(
        name =>
          `    def ${name}(self, wait: float = 1.0) -> None:\n${`        time.sleep(wait * ${name.length})\n`.repeat(8)}`,
      )
      .join('\n')
    const paths = chunk(`import time\n\n\nclass Gate(Door):\n    depth = 3\n\n${methods}`, 30).map(
      one => one.sectionPath,
    )
    expect(new Set(paths)).toEqual(new Set(['', 'class Gate > def open', 'class Gate > def close']))
    expect(paths[0]).toBe('')
    const titled = chunkMarkdown({ text: PYTHON, title: 'lock/gate.py' }, { targetTokens: 30, count })
    expect(titled.map(one => one.sectionPath)).toContain('lock/gate.py > class Gate > def open')
  })

  it('loses nothing, also of lines without end', () => {
    const text = `${functions(['a', 'b'], 10)}gate.open("${'x, '.repeat(2_000)}");\n${PYTHON}`
    const found = chunk(text, 60)
    expect(
      found
        .map(one => one.text)
        .join('')
        .replace(/\s/g, ''),
    ).toBe(text.replace(/\s/g, ''))
    for (const { tokens } of found) expect(tokens).toBeLessThanOrEqual(84)
  })

  it('joins tiny statements first, so that time is linear in their number', () => {
    const text = 'x;\n'.repeat(20_000)
    const chunks = cutCode(text, { target: 4_096, mostTargets: 1.4, count })
    for (const { pieces } of chunks) expect(pieces.length).toBeLessThan(520)
    const texts = chunks.flatMap(({ pieces }) => pieces).map(({ start, end }) => text.slice(start, end))
    expect(texts.join('')).toBe(text)
    expect(chunks.length).toBeGreaterThan(8)
  })

  it('gives parents too', () => {
    const text = functions(['a', 'b', 'c', 'd'], 8)
    const { chunks, parents } = chunkDocument({ text }, { chunking: 'parent-child', chunkTokens: 80, count })
    expect(parents).toHaveLength(1)
    expect(chunks.map(one => one.parent)).toEqual(chunks.map(() => 0))
  })
})
