import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rebuildDocument } from '../../src/contextualize/documents/tasks.ts'

const words = fc
  .array(fc.string({ minLength: 3, maxLength: 9 }), { minLength: 20, maxLength: 60 })
  .map(parts => parts.map((part, at) => `${part}${at}`).join(' '))

/** Cuts a text into chunks of `size` that repeat `overlap` units of the one before. */
function cut(text: string, size: number, overlap: number) {
  const chunks: { text: string; orderIndex: number; charStart: number; charEnd: number }[] = []
  for (let start = 0; start < text.length; start += size - overlap) {
    const part = text.slice(start, start + size)
    chunks.push({ text: part, orderIndex: chunks.length, charStart: start, charEnd: start + part.length })
    if (start + size >= text.length) break
  }
  return chunks
}

const reversed = <Item>(items: readonly Item[]): Item[] => [...items].reverse()

describe('a document that is put together from its chunks', () => {
  it('is the former text when chunks have offsets, in any order and with any overlap', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 20, max: 90 }), fc.integer({ min: 0, max: 19 }), (text, size, overlap) => {
        const chunks = cut(text, size, overlap)
        const rebuilt = rebuildDocument(reversed(chunks))
        expect(rebuilt.text).toBe(text)
        for (const { part, start } of rebuilt.parts) expect(start).toBe(part.charStart)
      }),
    )
  })

  it('is the former text without offsets too, when the overlap is long enough to be seen', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 60, max: 90 }), fc.integer({ min: 25, max: 40 }), (text, size, overlap) => {
        const chunks = cut(text, size, overlap).map(chunk => ({ ...chunk, charStart: null, charEnd: null }))
        expect(rebuildDocument(reversed(chunks)).text).toBe(text)
      }),
    )
  })

  it('holds each chunk at the place that it names, whatever the chunks are', () => {
    const chunk = fc.record({
      text: fc.string({ maxLength: 40 }),
      orderIndex: fc.option(fc.nat(5)),
      charStart: fc.option(fc.nat(60)),
      charEnd: fc.option(fc.nat(99)),
    })
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 8 }), chunks => {
        const { text, parts } = rebuildDocument(chunks)
        expect(parts).toHaveLength(chunks.length)
        for (const { part, start } of parts) expect(text.slice(start, start + part.text.length)).toBe(part.text)
      }),
    )
  })
})
