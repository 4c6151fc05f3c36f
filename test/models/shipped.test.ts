import { statSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createCrossEncoder } from '../../src/adapters/models/cross-encoder.ts'
import { createLocalEmbedder } from '../../src/adapters/models/local-embedder.ts'
import { loadConfig } from '../../src/config.ts'
import type { Embedder, Reranker } from '../../src/core/ports.ts'
import { cosine } from '../../src/text/similarity.ts'
import { openModels } from '../../src/wiring/models.ts'
import MINILM_VECTORS from '../fixtures/models/minilm-vectors.json' with { type: 'json' }
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { isShipped, noSignal, SHIPPED_EMBEDDER, SHIPPED_RERANKER } from '../support/model-folders.ts'
import { MODEL_MS } from '../support/timeouts.ts'

vi.setConfig({ testTimeout: MODEL_MS, hookTimeout: MODEL_MS })

/** Query, its answer, and a passage on something else that shares a word or a manner with it. */
const TRIPLES: readonly [query: string, right: string, wrong: string][] = [
  [
    'how do I reset my password',
    'To choose a new password, open Settings, press Forgot password and follow the link in the mail.',
    'The clock can be reset by holding the button on its back for three seconds.',
  ],
  [
    'what does a heart attack feel like',
    'Pressure in the chest, pain in the left arm and shortness of breath are signs of a myocardial infarction.',
    'The attack on the fortress began at dawn with a heavy bombardment.',
  ],
  [
    'largest planet in the solar system',
    'Jupiter is bigger than all the other planets that orbit the Sun together.',
    'The system was planned by the largest construction company of the country.',
  ],
  [
    'python list comprehension syntax',
    'Write [f(x) for x in items] to build a new list from an iterable in one expression in Python.',
    'Pythons are snakes that kill their prey by constriction and live in Africa, Asia and Australia.',
  ],
  [
    'when did the Second World War end',
    'Germany surrendered in May 1945 and Japan in September of that year, which ended World War II.',
    'The second season of the series ends with a wedding.',
  ],
  [
    'how long to boil an egg',
    'Cook eggs in boiling water for six minutes if soft, ten minutes if hard yolks are wanted.',
    'A hen lays about three hundred eggs a year in its first two years.',
  ],
  [
    'why is the sky blue',
    'Air molecules scatter short wavelengths of sunlight more than long ones, so blue light reaches us from everywhere.',
    'The team wears blue shirts at home and white ones away.',
  ],
  [
    'maximum number of open file descriptors',
    'The limit of open files of a process is shown by ulimit -n and raised in limits.conf.',
    'The office keeps its files in a steel cabinet that opens with two keys.',
  ],
  [
    'who painted the Mona Lisa',
    'Leonardo da Vinci made the portrait known as the Mona Lisa in Florence around 1503.',
    'The walls of the kitchen were painted yellow last summer.',
  ],
  [
    'side effects of aspirin',
    'Aspirin can irritate the stomach and make bleeding more likely.',
    'Special effects for the film were made by a studio in New Zealand.',
  ],
]
/** The scores of the answers, in exact arithmetic. */
const RIGHT_SCORES = [0.182, 0.08, 0.274, 0.186, 0.258, 0.365, 0.125, 0.107, 0.189, 0.197]
const MOST_BYTES = 24 * 1024 * 1024

if (isShipped(SHIPPED_RERANKER)) {
  describe('the shipped reranker', () => {
    const loads: Reranker[] = []
    beforeAll(async () => {
      for (let load = 0; load < 2; load += 1)
        loads.push(await createCrossEncoder({ model: SHIPPED_RERANKER, workers: 1, cacheEntries: 0 }))
    })
    afterAll(() => Promise.all(loads.map(load => load.close())))
    const scores = async (query: string, passages: string[], load = 0) =>
      (await loads[load]?.rerank({ query, passages, signal: noSignal() }))?.scores.map(score => score ?? Number.NaN) ??
      []

    it('is small enough to ship', () => {
      expect(bytesOfWeights(SHIPPED_RERANKER)).toBeLessThanOrEqual(MOST_BYTES)
    })

    it.each(TRIPLES)('puts the answer first: %s', async (query, right, wrong) => {
      const [better = Number.NaN, worse = Number.NaN] = await scores(query, [right, wrong])
      expect(better).toBeGreaterThan(worse)
    })

    it('gives the same scores on every processor', async () => {
      for (const [at, [query, right]] of TRIPLES.entries()) {
        const [score = Number.NaN] = await scores(query, [right])
        // Products that saturate, as those of int8 weights do without VNNI, change six of them by .04 to .09.
        expect(Math.abs(score - (RIGHT_SCORES[at] ?? Number.NaN)), query).toBeLessThan(0.03)
      }
    })

    it('gives the same scores each time it is loaded', async () => {
      for (const [query, ...passages] of TRIPLES.slice(0, 4)) {
        const [first, second] = [await scores(query, passages), await scores(query, passages, 1)]
        for (const [at, score] of first.entries())
          expect(Math.abs(score - (second[at] ?? Number.NaN))).toBeLessThan(1e-6)
      }
    })

    it('gives scores in [0,1] for odd queries too', async () => {
      for (const query of HOSTILE_TEXTS) {
        for (const score of await scores(query, ['Keys are rotated each month.', ''])) {
          expect(score).toBeGreaterThanOrEqual(0)
          expect(score).toBeLessThanOrEqual(1)
        }
      }
    })
  })
} else {
  it('a clone without the shipped reranker goes without it and names the folder and the variable', async () => {
    const { reranker, unavailable } = await openModels(loadConfig({}), { wanted: { embedder: false, reranker: true } })
    expect(reranker).toBeNull()
    expect(unavailable.reranker).toContain('RERANK_MODEL')
    expect(unavailable.reranker).toContain('stowage-reranker')
  })
}

if (isShipped(SHIPPED_EMBEDDER)) {
  describe('the shipped embedder', () => {
    const loads: Embedder[] = []
    beforeAll(async () => {
      for (let load = 0; load < 2; load += 1)
        loads.push(await createLocalEmbedder({ model: SHIPPED_EMBEDDER, workers: 1 }))
    })
    afterAll(() => Promise.all(loads.map(load => load.close())))
    const passages = async (texts: readonly string[], load = 0) => (await loads[load]?.embedPassages([...texts])) ?? []

    it('is small enough to ship, and of 384 dimensions', () => {
      expect(bytesOfWeights(SHIPPED_EMBEDDER)).toBeLessThanOrEqual(MOST_BYTES)
      expect(loads[0]?.dimensions).toBe(384)
    })

    it.each(TRIPLES)('puts the answer nearer: %s', async (query, right, wrong) => {
      const asked = (await loads[0]?.embedQuery(query)) ?? new Float32Array()
      const [better = Number.NaN, worse = Number.NaN] = (await passages([right, wrong])).map(one => cosine(asked, one))
      expect(better).toBeGreaterThan(worse)
    })

    /** The vectors are those of transformers 5.24.0 with the published float weights, as base64 of 32-bit floats. */
    it('gives the vectors that all-MiniLM-L6-v2 gives elsewhere', async () => {
      for (const { text, vector } of MINILM_VECTORS) {
        const [ours = new Float32Array()] = await passages([text])
        expect(cosine(ours, new Float32Array(new Uint8Array(Buffer.from(vector, 'base64')).buffer))).toBeGreaterThan(
          0.98,
        )
      }
    })

    it('gives the same vectors each time it is loaded', async () => {
      const texts = TRIPLES.map(([, right]) => right)
      const [first, second] = [await passages(texts), await passages(texts, 1)]
      expect(first).toHaveLength(texts.length)
      for (const [at, vector] of first.entries()) {
        for (const [place, value] of vector.entries())
          expect(Math.abs(value - (second[at]?.[place] ?? Number.NaN))).toBeLessThan(1e-6)
      }
    })

    it('gives unit vectors for odd texts of any length', async () => {
      const longest = HOSTILE_TEXTS.filter(text => text.length >= 100_000)
      for (const vector of await passages(longest)) expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
      for (const text of HOSTILE_TEXTS.slice(0, 4)) {
        expect(Math.hypot(...((await loads[0]?.embedQuery(text)) ?? []))).toBeCloseTo(1, 5)
      }
    })
  })
} else {
  it('a clone without the shipped embedder takes another one, or says by which variable to name one', async () => {
    const { embedder, unavailable, close } = await openModels(loadConfig({}), {
      wanted: { embedder: true, reranker: false },
    })
    expect(embedder?.version ?? unavailable.embedder).toMatch(/^(?!all-MiniLM-L6-v2).+:\d+:\w+$|EMBEDDING_MODEL/)
    await close()
  })
}

function bytesOfWeights(folder: string): number {
  return statSync(`${folder}/onnx/model_quantized.onnx`).size
}
