import type { PointId } from '../../core/types.ts'
import { unknownPoint, unknownVector, wrongInput } from '../errors.ts'
import type { Collection } from '../storage/collection.ts'
import type { VectorInput } from '../wire/vector-input.ts'
import { distributionFusion, type Hit, reciprocalRankFusion } from './fusion.ts'
import { selectDiverse } from './mmr.ts'
import type { QueryPlan, Scoring, Target } from './plan.ts'
import { nearestScorer, recommendScorer, rowSimilarity, type Scorer } from './scorer.ts'
import { type RankedRow, TopHits } from './top-hits.ts'

/** Finds a collection by name, or throws 404. */
export type CollectionLookup = (name: string) => Collection

type Accept = (row: number) => boolean
type VectorScoring = Extract<Scoring, { kind: 'nearest' | 'recommend' }>

/**
 * Answers a query plan: hits best first, offset already cut. The root filter and every prefetch's filter reach the leaves below
 * them; points used as examples are never hits (unless looked up in another collection).
 */
export function runQuery(plan: QueryPlan, collection: Collection, lookup: CollectionLookup): Hit[] {
  const examples = new Set<number | undefined>(exampleIds(plan).map(id => collection.rowOf(id)))
  const accept: Accept = examples.size === 0 ? () => true : row => !examples.has(row)
  return new QueryRun(collection, lookup).hits(plan, accept).slice(plan.offset)
}

class QueryRun {
  private readonly collection: Collection
  private readonly lookup: CollectionLookup
  private readonly idOf: (row: number) => PointId

  constructor(collection: Collection, lookup: CollectionLookup) {
    this.collection = collection
    this.lookup = lookup
    this.idOf = row => collection.idOf(row)
  }

  hits(plan: QueryPlan, inherited: Accept): Hit[] {
    const own = plan.filter ? this.collection.filter(plan.filter) : undefined
    const accept: Accept = own === undefined ? inherited : row => inherited(row) && own(row)
    const { scoring } = plan
    if (scoring === undefined) return this.scroll(plan.limit, accept)
    const sources = plan.prefetch.map(prefetch => this.hits(prefetch, accept))
    if (scoring.kind === 'rrf') return this.fused(plan, reciprocalRankFusion(sources, scoring.k, scoring.weights))
    if (scoring.kind === 'dbsf') return this.fused(plan, distributionFusion(sources))
    const among = sources.length > 0 ? new Set(sources.flat().map(hit => hit.row)) : undefined
    return this.ranked(plan, scoring, accept, among)
  }

  private scroll(limit: number, accept: Accept): Hit[] {
    const hits: Hit[] = []
    for (const row of this.collection.matching(undefined)) {
      if (hits.length >= limit) break
      if (accept(row)) hits.push({ row, score: 1 })
    }
    return hits
  }

  private fused({ limit, threshold }: QueryPlan, sums: Map<number, number>): Hit[] {
    const top = new TopHits(limit, this.idOf, () => true)
    for (const [row, score] of sums) if (threshold === undefined || score >= threshold) top.offer(row, score)
    return top.ranked().map(({ row, value }) => ({ row, score: value }))
  }

  private ranked(plan: QueryPlan, scoring: VectorScoring, accept: Accept, among: Set<number> | undefined): Hit[] {
    const scorer = this.scorer(plan, scoring)
    const mmr = scoring.kind === 'nearest' ? scoring.mmr : undefined
    const limit = mmr === undefined ? plan.limit : (mmr.candidates ?? plan.limit)
    const top = new TopHits(limit, this.idOf, accept)
    const passes = thresholdTest(plan.threshold, scorer)
    const visit = (row: number, value: number) => {
      if (passes(value)) top.offer(row, value)
    }
    if (among === undefined) scorer.each(visit)
    else {
      for (const row of among) {
        const value = scorer.of(row)
        if (value !== undefined) visit(row, value)
      }
    }
    const chosen = mmr === undefined ? top.ranked() : this.diversified(top.ranked(), mmr.lambda, plan)
    return chosen.map(({ row, value }) => ({ row, score: scorer.score(value) }))
  }

  private diversified(candidates: RankedRow[], lambda: number, { limit, using }: QueryPlan): RankedRow[] {
    return selectDiverse(candidates, lambda, limit, rowSimilarity(this.collection, using))
  }

  private scorer(plan: QueryPlan, scoring: VectorScoring): Scorer {
    const resolve = (target: Target) => this.resolve(target, plan)
    if (scoring.kind === 'recommend') {
      const { positive, negative, strategy } = scoring
      return recommendScorer(this.collection, plan.using, positive.map(resolve), negative.map(resolve), strategy)
    }
    const corpus = plan.idfCorpus ? this.collection.filter(plan.idfCorpus) : undefined
    return nearestScorer(this.collection, plan.using, resolve(scoring.target), corpus)
  }

  private resolve(target: Target, { using, lookupFrom }: QueryPlan): VectorInput {
    if ('vector' in target) return target.vector
    const source = lookupFrom === undefined ? this.collection : this.lookup(lookupFrom.collection)
    const name = lookupFrom?.vector ?? using
    if (!source.dense.has(name) && !source.sparse.has(name)) throw unknownVector(name)
    const row = source.rowOf(target.id)
    if (row === undefined) throw unknownPoint(target.id)
    const vector = source.vectorOf(row, name)
    if (vector === undefined) throw wrongInput(`Vector with name \`${name}\` not found for point ${target.id}`)
    return vector
  }
}

/** Score thresholds of vector queries are strict: above it, or below it where smaller is better. */
function thresholdTest(threshold: number | undefined, scorer: Scorer): (value: number) => boolean {
  if (threshold === undefined) return () => true
  const bound = Math.fround(threshold)
  return scorer.ascending ? value => scorer.score(value) < bound : value => scorer.score(value) > bound
}

function exampleIds(plan: QueryPlan): PointId[] {
  const { scoring } = plan
  const own = scoring?.kind === 'nearest' ? [scoring.target] : []
  const examples = scoring?.kind === 'recommend' ? [...scoring.positive, ...scoring.negative] : own
  const ids = plan.lookupFrom === undefined ? examples.flatMap(target => ('id' in target ? [target.id] : [])) : []
  return [...ids, ...plan.prefetch.flatMap(exampleIds)]
}
