import { describe, expect, it } from 'vitest'
import { createRulesWriter } from '../../../src/contexts/rules/rules-writer.ts'
import type { Embedder, PassageStore, Reranker } from '../../../src/core/ports.ts'
import type { Chunk } from '../../../src/core/types.ts'
import { parseArms } from '../../../src/evaluation/arms/parse.ts'
import type { GoldenSet } from '../../../src/evaluation/golden-set/golden-set.ts'
import { wordsOf } from '../../../src/evaluation/metrics/reference-words.ts'
import { replay } from '../../../src/evaluation/replay/replay.ts'
import type { QueryDetails, QueryResult } from '../../../src/evaluation/replay/results.ts'
import { createReplayDependencies, type ReplayEnvironment } from '../../../src/evaluation/replay/run.ts'
import { reportText } from '../../../src/evaluation/report/text.ts'
import { summarize } from '../../../src/evaluation/summary/summarize.ts'
import { chunkMarkdown } from '../../../src/ingest/chunking/chunk-markdown.ts'
import type { SourceDocument } from '../../../src/ingest/source-document.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import { overridePlan } from '../../../src/pipeline/plan/override-plan.ts'
import { createTokenizer } from '../../../src/text/tokens.ts'
import { vectorOf } from '../../support/query-vectors.ts'
import { tenantOfName } from '../../support/tenants.ts'
import { goldenQuery, goldSpan } from '../support/golden.ts'

const machines = ['pump', 'lamp', 'bell', 'gate', 'crane', 'lift', 'mill']
const aspects = ['height', 'weight', 'colour', 'keeper', 'builder', 'price']

/** Every document says something of each aspect of one machine, section by section, amid talk. */
const documents: SourceDocument[] = machines.map((machine, at) => {
  const sections = aspects.map((aspect, index) => {
    const talk = Array.from(
      { length: 6 },
      (_, line) => `Visitor ${line} of hall ${at} speaks about water, oil and rope ${index}.`,
    )
    return `## ${aspect}\n\n${talk.join(' ')} The ${aspect} of the ${machine} is number ${at * 100 + index} exactly. ${talk.join(' ')}\n`
  })
  return { docId: `machines/${machine}`, title: machine, text: `# The ${machine}\n\n${sections.join('\n')}` }
})
const set: GoldenSet = {
  name: 'machines',
  documents,
  queries: machines.map((machine, at) => {
    const aspect = aspects[at % aspects.length] ?? ''
    const text = documents[at]?.text ?? ''
    const sentence = `The ${aspect} of the ${machine} is number ${at * 100 + (at % aspects.length)} exactly.`
    const start = text.indexOf(sentence)
    const goldPassages = [goldSpan(text, start, start + sentence.length, `machines/${machine}`)]
    return goldenQuery(machine, goldPassages, { query: `What is the ${aspect} of the ${machine}?` })
  }),
  corpusHash: 'corpus',
  hash: 'set',
}

function storeOf(chunks: Chunk[], vectors: number[][]): PassageStore {
  const ranked = (query: number[] | null, limit: number) =>
    chunks
      .map((chunk, at) => ({ chunk, score: query ? overlap(query, vectors[at] ?? []) : 0 }))
      .sort((left, right) => right.score - left.score || (left.chunk.id > right.chunk.id ? 1 : -1))
      .slice(0, limit)
  return {
    search: async ({ dense, sparse, limit }) => {
      const query = await vectorOf(dense)
      return {
        lists: [
          { source: 'dense', kind: 'dense', hits: ranked(query, limit) },
          { source: 'keyword', kind: 'keyword', hits: ranked(query?.map(value => value * 2) ?? null, limit) },
        ],
        missing: sparse ? [] : ['no terms'],
      }
    },
    fetchParents: async () => [],
    fetchPlaces: async (_collection, places) =>
      chunks.filter(({ docId, orderIndex }) =>
        places.some(place => place.docId === docId && place.orderIndex === orderIndex),
      ),
  }
}

function hashed(text: string): number[] {
  const vector = Array.from({ length: 512 }, () => 0)
  for (const word of wordsOf(text)) {
    let hash = 7
    for (const letter of word) hash = (hash * 31 + letter.charCodeAt(0)) % 512
    vector[hash] = 1
  }
  return vector
}

const overlap = (left: number[], right: number[]) => left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0)

interface Counts {
  embedded: string[]
  reranked: number
  folders: string[]
  closed: number
}

function worldOf(counts: Counts, reranker: Reranker | null): ReplayEnvironment {
  const embedder: Embedder = {
    version: 'words/512',
    dimensions: 512,
    embedQuery: async text => {
      counts.embedded.push(text)
      return Float32Array.from(hashed(text))
    },
    embedPassages: () => Promise.reject(new Error('the fake store embeds nothing')),
    close: async () => {},
  }
  return {
    ports: {
      tokenizer: createTokenizer,
      embedder,
      reranker,
      isWord: () => true,
      unavailable: { embedder: null, reranker: reranker ? null : 'no weights here' },
    },
    referenceModel: NAMED_PLANS.measured.tokenizerModel,
    contexts: () => createRulesWriter({ countTokens: text => text.length }),
    contextualTwins: new Map(),
    openLive: () => Promise.reject(new Error('no live collection')),
    openFolder: async folder => {
      counts.folders.push(folder)
      const chunks: Chunk[] = []
      const vectors: number[][] = []
      return {
        store: storeOf(chunks, vectors),
        ingest: async (texts, { collection, chunkTokens, onProgress }) => {
          const count = (text: string) => createTokenizer('gpt-4o').count(text)
          for (const [at, document] of texts.entries()) {
            for (const chunk of chunkMarkdown(document, { targetTokens: chunkTokens, count }))
              chunks.push({ ...chunk, id: chunks.length, collection, docId: document.docId, docTitle: document.title })
            onProgress(at + 1, texts.length, { done: at + 1, total: texts.length })
          }
          for (const { sectionPath, text } of chunks) vectors.push(hashed(`${sectionPath} ${text}`))
          return chunks.length
        },
        close: async () => {
          counts.closed += 1
        },
      }
    },
  }
}

const withoutTimes = (value: unknown) =>
  JSON.parse(JSON.stringify(value, (key, inner) => (key === 'ms' || key === 'stageMs' ? undefined : inner)))

const alone = (arms: QueryResult['arms'], budget: number) =>
  Object.fromEntries(Object.entries(arms).map(([arm, figures]) => [arm, { [budget]: figures[budget] }]))

const newCounts = (): Counts => ({ embedded: [], reranked: 0, folders: [], closed: 0 })
const options = { sets: [set], chunkTokens: 60, cacheFolder: 'cache', limitQueries: null, onProgress: () => {} }

describe('replay on the pipeline', () => {
  it('finds all evidence given room, keeps to its budgets, and packs only text that stands in its documents', async () => {
    const counts = newCounts()
    const arms = parseArms('baseline,topk,design,measured,measured:packing.mode=sentence', NAMED_PLANS)
    const job = { ...options, arms, budgets: [120, 400, 4000] }
    const report = await replay(job, createReplayDependencies(worldOf(counts, null)))
    const [result] = report.sets
    expect(result?.chunks).toBeGreaterThan(documents.length * aspects.length)
    expect(result?.degraded).toEqual({ reranker_unavailable: machines.length * 4 * 3 })
    const runs = result?.queries.flatMap(query => Object.entries(query.arms)) ?? []
    expect(runs).toHaveLength(machines.length * arms.length)
    for (const [arm, byBudget] of runs) {
      for (const [budget, figures] of Object.entries(byBudget)) {
        expect(figures.lost, `${arm} at ${budget}`).toBe(0)
        expect(figures.overrun, `${arm} at ${budget}`).toBe(0)
        expect(figures.measures.tokens).toBeLessThanOrEqual(Number(budget))
        expect(figures.stageMs).toHaveProperty('pack')
      }
    }
    const summary = summarize(report, { against: 'topk', bootstrap: { resamples: 500, seed: 1, confidence: 0.95 } })
    const recallOf = (arm: string) =>
      summary.slices[0]?.arms.find(entry => entry.arm === arm)?.figures.recall?.['4000']?.mean
    expect(recallOf('topk')).toBe(1)
    expect(recallOf('measured')).toBe(1)
    expect(reportText(summary)).toContain('machines: 84 runs are degraded: reranker_unavailable')
  })

  it('asks the world once per query, and charges every arm for it', async () => {
    const counts = newCounts()
    const reranker: Reranker = {
      model: 'slow',
      rerank: async ({ passages }) => {
        counts.reranked += 1
        // Time that really passes: the test is about the milliseconds that are charged.
        await new Promise(resolve => setTimeout(resolve, 20))
        return { scores: passages.map(() => 0.5), cached: 0 }
      },
      close: async () => {},
    }
    const arms = parseArms('topk,measured,baseline', NAMED_PLANS)
    const few = { ...options, arms, budgets: [200, 800], limitQueries: 3 }
    const report = await replay(few, createReplayDependencies(worldOf(counts, reranker)))
    const queries = report.sets[0]?.queries ?? []
    expect(counts.embedded).toEqual(queries.map(({ query }) => query))
    expect(counts.reranked).toBe(3)
    expect(counts.closed).toBe(1)
    for (const { arms: figures } of queries) {
      for (const arm of ['topk', 'measured'])
        for (const run of Object.values(figures[arm] ?? {})) {
          expect(run.stageMs.rerank).toBeGreaterThanOrEqual(19)
          expect(run.ms).toBeGreaterThanOrEqual(19)
        }
    }
    expect(report.sets[0]?.degraded).toEqual({})
  })

  it('ranks once for each arm, and packs at each budget what it would pack there alone', async () => {
    const world = worldOf(newCounts(), null)
    let ranked = 0
    const tokenizer = (model: string) => {
      ranked += 1
      return createTokenizer(model)
    }
    const dependencies = createReplayDependencies({ ...world, ports: { ...world.ports, tokenizer } })
    const arms = parseArms('baseline,measured', NAMED_PLANS)
    const figuresAt = async (budgets: number[]) => {
      const report = await replay({ ...options, arms, budgets, limitQueries: 2 }, dependencies)
      return withoutTimes(report.sets[0]?.queries.map(query => query.arms))
    }
    ranked = 0
    const together = await figuresAt([90, 300])
    expect(ranked).toBe(2 * arms.length)
    for (const budget of [90, 300])
      expect(together.map((query: QueryResult['arms']) => alone(query, budget))).toEqual(await figuresAt([budget]))
  })

  it('ingests nothing for an arm that asks a server', async () => {
    const counts = newCounts()
    const served = { kind: 'server', name: 'served', url: 'http://127.0.0.1:1', collection: null } as const
    const arms = [...parseArms('measured:retrieval.contextual=true', NAMED_PLANS), served]
    const { prepare } = createReplayDependencies(worldOf(counts, null))
    const prepared = await prepare(set, { ...options, arms, budgets: [300] })
    await prepared.close()
    expect(counts.folders).toHaveLength(1)
  })

  it('gives equal figures for equal input, and other folders for other chunk sizes and corpora', async () => {
    const counts = newCounts()
    const dependencies = createReplayDependencies(worldOf(counts, null))
    const arms = parseArms('topk,measured', NAMED_PLANS)
    const ask = async (changes: Partial<GoldenSet>, chunkTokens: number) => {
      const job = { ...options, sets: [{ ...set, ...changes }], arms, budgets: [300], chunkTokens }
      const report = await replay(job, dependencies)
      return JSON.stringify(withoutTimes(report))
    }
    expect(await ask({}, 60)).toBe(await ask({}, 60))
    await ask({ hash: 'other golds' }, 60)
    await ask({}, 90)
    await ask({ corpusHash: 'other' }, 60)
    const [first, second, otherGolds, otherSize, otherCorpus] = counts.folders
    expect([second, otherGolds]).toEqual([first, first])
    expect(new Set([first, otherSize, otherCorpus]).size).toBe(3)
  })

  it('gives equal figures for any number of queries in flight and any order of the arms', async () => {
    const dependencies = createReplayDependencies(worldOf(newCounts(), null))
    const arms = parseArms('topk,measured,design', NAMED_PLANS)
    const figures = async (changes: { arms?: typeof arms; parallel?: number }) => {
      const report = await replay({ ...options, arms, budgets: [200], limitQueries: 5, ...changes }, dependencies)
      return withoutTimes(report.sets[0]?.queries)
    }
    const one = await figures({ parallel: 1 })
    expect(await figures({ parallel: 4, arms: [...arms.slice(1), ...arms.slice(0, 1)] })).toEqual(one)
  })

  it('tells a report the whole text of every candidate in a trace', async () => {
    const arms = parseArms('topk,measured', NAMED_PLANS)
    const job = { ...options, arms, budgets: [90, 300], limitQueries: 2, details: true }
    const told: QueryDetails[] = []
    await replay(job, createReplayDependencies(worldOf(newCounts(), null)), async (report, all) => {
      for await (const details of all) told.push(details)
      expect(told.map(({ id }) => id)).toEqual(report.sets[0]?.queries.map(({ id }) => id))
    })
    for (const { golds, texts, arms: byArm } of told) {
      expect(golds).toHaveLength(1)
      expect(Object.keys(byArm)).toEqual(['topk', 'measured'])
      for (const { context, trace } of Object.values(byArm).flatMap(byBudget => Object.values(byBudget))) {
        expect(context).not.toBe('')
        expect(trace?.candidates.filter(({ id }) => texts[String(id)] === undefined)).toEqual([])
        expect(trace?.candidates.length).toBeGreaterThan(10)
      }
      expect(Object.keys(byArm.measured ?? {})).toEqual(['90', '300'])
    }
  })

  it('asks as the tenant of a query: with its condition, and with its plan where the arm has the configured one', async () => {
    const world = worldOf(newCounts(), null)
    const calls: unknown[] = []
    const openFolder: ReplayEnvironment['openFolder'] = async folder => {
      const opened = await world.openFolder(folder)
      const search: PassageStore['search'] = (request, call) => {
        calls.push([request.limit, call.condition])
        return opened.store.search(request, call)
      }
      return { ...opened, store: { ...opened.store, search } }
    }
    const configured = NAMED_PLANS.measured
    const longer = (k: number) => overridePlan(configured, { retrieval: { weights: { k } } })
    const condition = { must: [{ key: 'tenant', match: { value: 'acme' } }] }
    const tenants = { configured, tenants: [tenantOfName('acme', { condition, plan: longer(7) })] }
    const queries = set.queries.slice(0, 2).map((query, at) => ({ ...query, tenant: at === 0 ? 'acme' : null }))
    const fixed = 'measured:retrieval.adaptive=false,rerank.method=off'
    const arms = parseArms(`${fixed},${fixed},retrieval.weights.k=9`, NAMED_PLANS)
    const job = { ...options, sets: [{ ...set, queries }], arms, budgets: [100] }
    await replay(job, createReplayDependencies({ ...world, openFolder, tenants }))
    const usual = configured.retrieval.weights.k
    expect(calls).toEqual([
      [7, condition],
      [9, condition],
      // The arms take turns in going first.
      [9, null],
      [usual, null],
    ])
  })

  it('refuses a query of a tenant that is not declared, before it ingests', async () => {
    const counts = newCounts()
    const queries = set.queries.map(query => ({ ...query, tenant: 'acme' }))
    const job = { ...options, sets: [{ ...set, queries }], arms: parseArms('topk', NAMED_PLANS), budgets: [100] }
    const declared = { configured: NAMED_PLANS.measured, tenants: [tenantOfName('other')] }
    const run = (tenants: ReplayEnvironment['tenants']) =>
      replay(job, createReplayDependencies({ ...worldOf(counts, null), tenants: tenants ?? null }))
    await expect(run(null)).rejects.toThrow('query pump asks as tenant acme: TENANTS_FILE is not set')
    await expect(run(declared)).rejects.toThrow('query pump asks as tenant acme: TENANTS_FILE declares no such tenant')
    expect(counts.folders).toEqual([])
  })
})
