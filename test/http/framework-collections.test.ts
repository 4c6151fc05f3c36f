import { randomUUID } from 'node:crypto'
import { RecursiveCharacterTextSplitter } from '@langchain/textsplitters'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStowage, type Stowage } from '../support/stowage.ts'

/** A document in paragraphs that a splitter cannot cut alike, as LangChain stores it in a collection: with random ids, and no order index. */
const PARAGRAPHS = Array.from({ length: 12 }, (_, at) => {
  const part = `part ${at + 1} of the pump`
  return `Every crew oils ${part} before the tide turns. Nobody leaves ${part} alone at night. The log says who oiled ${part}.`
})
const DOCUMENT = PARAGRAPHS.join('\n\n')
/** Where each payload says that its chunk stands. */
const LAYOUTS = {
  lines: ({ loc }: { loc?: unknown }, _start: number) => ({ loc }),
  offsets: (_metadata: object, start: number) => ({ start_index: start }),
  nothing: () => ({}),
}

let stowage: Stowage
beforeAll(async () => {
  stowage = await openStowage()
  const splitter = new RecursiveCharacterTextSplitter({ chunkSize: 400, chunkOverlap: 160 })
  const chunks = await splitter.splitDocuments([{ pageContent: DOCUMENT, metadata: { source: 'pump.md' } }])
  for (const [collection, placed] of Object.entries(LAYOUTS)) {
    await stowage.send('PUT', `/collections/${collection}`, { vectors: { size: 2, distance: 'Cosine' } })
    const points = chunks.map(({ pageContent, metadata }) => ({
      id: randomUUID(),
      vector: [1, 0],
      payload: {
        page_content: pageContent,
        metadata: { source: metadata.source, ...placed(metadata, DOCUMENT.indexOf(pageContent)) },
      },
    }))
    await stowage.send('PUT', `/collections/${collection}/points?wait=true`, { points })
  }
})
afterAll(() => stowage.close())

describe('a context of a collection without an order index', () => {
  it.each(Object.keys(LAYOUTS))('is the text of the document where payloads have %s', async collection => {
    const { context, chunks } = (
      await stowage.ask({
        ...{ query: 'Who oils the parts of the pump?', vector: [1, 0], collection },
        ...{ budget_tokens: 4000 },
      })
    ).json
    expect(context.replace(/^\[1\].*\n(?:#.*\n+)?/u, '').trim()).toBe(DOCUMENT)
    expect(new Set(chunks.map(chunk => chunk.order_index))).toEqual(new Set([null]))
  })
  it.each(Object.keys(LAYOUTS))('keeps what an earlier turn packed where payloads have %s', async layout => {
    const collection = `turns-${layout}`
    const texts = [
      'The crew oils the pump before the tide turns.',
      'The lamps of the quay burn until the last ship is in.',
    ]
    const points = texts.map((page_content, at) => {
      const loc = { lines: { from: 4 * at + 1, to: 4 * at + 1 } }
      const metadata = { source: 'quay.md', ...LAYOUTS[layout as keyof typeof LAYOUTS]({ loc }, 200 * at) }
      return { id: randomUUID(), vector: [1 - at, at], payload: { page_content, metadata } }
    })
    await stowage.send('PUT', `/collections/${collection}`, { vectors: { size: 2, distance: 'Cosine' } })
    await stowage.send('PUT', `/collections/${collection}/points?wait=true`, { points })
    const turn = async (query: string, vector: number[]) =>
      (await stowage.ask({ query, vector, collection, order: 'stable', session_id: collection })).json.context
    const contexts = [await turn('Who oils the pump?', [1, 0]), await turn('When do the lamps burn?', [0, 1])]
    expect(contexts[0]).toContain(texts[1])
    expect(contexts[1]).toBe(contexts[0])
  })
})
