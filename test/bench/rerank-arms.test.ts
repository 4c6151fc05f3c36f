import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Embedder, Reranker } from '../../src/core/ports.ts'
import { readCandidates } from './candidates-file.ts'
import { measureArms } from './rerank-arms.ts'

/** Two relevant passages at places 3 and 4 of the first stage, a third one that it missed. */
const ROW = {
  id: 'q',
  query: 'tide',
  judged_relevant: { a: 3, b: 1, missed: 2 },
  passages: [0, 0, 3, 1].map((grade, at) => ({ text: `text ${at} grade ${grade}`, score: 8 - at, grade })),
}
const gradeIn = (text: string) => Number(text.at(-1))

const reranker: Reranker = {
  model: 'oracle',
  rerank: async ({ passages }) => ({ scores: passages.map(text => gradeIn(text) / 3), cached: 0 }),
  close: async () => {},
}
/** Worst first: its cosine falls with the grade. */
const embedder: Embedder = {
  version: 'contrary:2:mean',
  dimensions: 2,
  embedQuery: async () => new Float32Array([1, 0]),
  embedPassages: async texts =>
    texts.map(text => new Float32Array([Math.cos(1 + gradeIn(text) / 3), Math.sin(1 + gradeIn(text) / 3)])),
  close: async () => {},
}

const discount = (rank: number) => 1 / Math.log2(rank + 1)
const IDEAL = 3 * discount(1) + 2 * discount(2) + 1 * discount(3)

it('measures each order against the ideal of all that is judged', async () => {
  const progress: number[] = []
  const { arms, pairs } = await measureArms([ROW, ROW], { embedder, reranker }, done => progress.push(done))
  const means = Object.fromEntries(arms.map(({ arm, ndcg }) => [arm, ndcg.linear.mean]))
  expect(means['first stage']).toBeCloseTo((3 * discount(3) + 1 * discount(4)) / IDEAL, 12)
  expect(means['embedder (cosine)']).toBeCloseTo((1 * discount(3) + 3 * discount(4)) / IDEAL, 12)
  expect(means.reranker).toBeCloseTo((3 * discount(1) + 1 * discount(2)) / IDEAL, 12)
  const best = arms.find(({ arm }) => arm === 'reranker')
  // Two queries prove nothing, however much better the order is.
  expect(best?.comparison).toMatchObject({ p: 0.5, verdict: 'unproven' })
  expect(best?.comparison?.difference.mean).toBeCloseTo((means.reranker ?? 0) - (means['first stage'] ?? 0), 12)
  expect(best?.ndcg.exponential.mean).toBeCloseTo((7 + discount(2)) / (7 + 3 * discount(2) + discount(3)), 12)
  expect([pairs, progress]).toEqual([8, [1, 2]])
})

it('blends as the pipeline does: the first stage’s values on [0,1] with the relevance', async () => {
  const { arms } = await measureArms([ROW], { embedder: null, reranker }, () => {})
  const mean = (arm: string) => arms.find(other => other.arm === arm)?.ndcg.linear.mean ?? Number.NaN
  expect(arms.map(({ arm }) => arm)).toEqual(['first stage', 'blend 0.3', 'blend 0.5', 'blend 0.7', 'reranker'])
  // First stage 1, .67, .33, 0 and relevance 0, 0, 1, .33: at .3 the answer comes second, at .5 first.
  expect(mean('blend 0.3')).toBeCloseTo((3 * discount(2) + 1 * discount(4)) / IDEAL, 12)
  expect(mean('blend 0.5')).toBeCloseTo((3 * discount(1) + 1 * discount(4)) / IDEAL, 12)
})

it('refuses a file that is no candidates file, naming place and field', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stowage-candidates-'))
  const file = join(folder, 'candidates.jsonl')
  try {
    writeFileSync(
      file,
      `${JSON.stringify(ROW)}\n${JSON.stringify({ ...ROW, passages: [{ text: 'x', score: 'high' }] })}\n`,
    )
    await expect(readCandidates(file)).rejects.toThrow(/candidates\.jsonl:2: passages\.0\.score/)
    writeFileSync(file, `${JSON.stringify(ROW)}\n`)
    expect(await readCandidates(file)).toEqual([ROW])
    writeFileSync(file, '')
    await expect(readCandidates(file)).rejects.toThrow(/no queries/)
    await expect(readCandidates(join(folder, 'absent.jsonl'))).rejects.toThrow(/ENOENT/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
