import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Embedder } from '../../../../src/core/ports.ts'
import { cosine } from '../../../../src/text/similarity.ts'
import { HOSTILE_TEXTS } from '../../../support/hostile-texts.ts'

/**
 * What every embedder must do, whatever is behind it.
 * @param longest characters of a hostile text that it is given
 */
export function describeEmbedder(name: string, open: () => Promise<Embedder>, longest = 20_000): void {
  describe(`the embedder port: ${name}`, () => {
    let embedder: Embedder
    beforeAll(async () => {
      embedder = await open()
    })
    afterAll(() => embedder.close())

    it('names model, dimension and pooling in its version', () => {
      expect(embedder.version).toMatch(new RegExp(`^.+:${embedder.dimensions}:\\w+$`))
    })

    it('gives unit vectors of its dimension, in the order of the texts', async () => {
      const texts = ['rotate the key', 'a cache of answers', 'filters']
      const vectors = await embedder.embedPassages(texts)
      expect(vectors).toHaveLength(3)
      for (const vector of vectors) {
        expect(vector).toBeInstanceOf(Float32Array)
        expect(vector).toHaveLength(embedder.dimensions)
        expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
      }
      const backwards = await embedder.embedPassages([...texts].reverse())
      for (const [at, vector] of backwards.reverse().entries()) {
        expect(cosine(vector, vectors[at] ?? new Float32Array())).toBeCloseTo(1, 5)
      }
      expect(cosine(vectors[0] ?? new Float32Array(), vectors[1] ?? new Float32Array())).toBeLessThan(0.99999)
      expect(await embedder.embedPassages([])).toEqual([])
    })

    it('gives the same vector for the same query, and a caller cannot spoil it', async () => {
      const first = await embedder.embedQuery('how is it rotated')
      const kept = first.slice()
      first.fill(0)
      expect(await embedder.embedQuery('how is it rotated')).toEqual(kept)
      expect(Math.hypot(...kept)).toBeCloseTo(1, 5)
    })

    it('gives unit vectors for hostile texts', async () => {
      for (const vector of await embedder.embedPassages(HOSTILE_TEXTS.map(text => text.slice(0, longest)))) {
        expect(Math.hypot(...vector)).toBeCloseTo(1, 4)
      }
    })

    it('rejects when the signal came first', async () => {
      await expect(embedder.embedPassages(['a'], AbortSignal.abort())).rejects.toThrow()
      await expect(embedder.embedQuery('never asked before', AbortSignal.abort())).rejects.toThrow()
    })
  })
}
