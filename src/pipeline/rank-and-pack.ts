import type { Reranker } from '../core/ports.ts'
import { finish, type Steps, TimeUp } from '../core/steps.ts'
import type { Candidate, Chunk, Dropped, FilterResult, Intent } from '../core/types.ts'
import type { StageName } from '../core/vocabulary.ts'
import { type Packed, type PackOptions, pack } from '../pack/pack.ts'
import { tellApart } from '../pack/source-name.ts'
import { addAnswerability } from '../rank/answerability/answerability.ts'
import { collect, dropWithoutText } from '../rank/collect.ts'
import { cutTo } from '../rank/cut.ts'
import { dedupe } from '../rank/dedupe.ts'
import { diversify } from '../rank/diversify.ts'
import { fuse } from '../rank/fuse.ts'
import { withDerivedPlaces } from '../rank/places/derived-places.ts'
import { scaleToBest } from '../rank/scale.ts'
import { dropIrrelevant } from './confidence/fill.ts'
import type { Relevance } from './confidence/relevance.ts'
import { type ParentsInput, parentsOf } from './expansion/parents.ts'
import { type ReadersInput, readersOf } from './languages.ts'
import { beginAnswering } from './pacing/background.ts'
import { PACKING_GRACE_MS, Pace, RANKING_GRACE_MS } from './pacing/pace.ts'
import { fusionWeights, mmrAlpha, poolSize } from './plan/derived.ts'
import type { Plan } from './plan/plan.ts'
import { type RerankInput, rerank } from './rerank/rerank.ts'
import { sentenceMatches } from './rerank/sentence-matches.ts'
import { hitsOf } from './retrieval/fallback.ts'
import { type ReunifyInput, reunify } from './reunify.ts'
import { differ, type RunRecord } from './run-record.ts'

export interface RankAndPackInput
  extends ReadersInput,
    RerankInput,
    ReunifyInput,
    ParentsInput,
    Pick<PackOptions, 'previous'> {
  /** Null without query text. */
  intent: Intent | null
  /** How relevant a candidate is, for the values of the plan about relevance. Absent: the plan leaves nothing out. */
  relevanceOf?: (candidate: Candidate) => Relevance
}

/** What `ranking_partial` names: a stage, the look at the languages of the candidates before them, or the places of chunks without an order index. */
type LeftOut = StageName | 'languages' | 'places'

/** The candidates of one request before the steps that depend on the budget. */
interface RankedCandidates {
  /** Best first. */
  candidates: Candidate[]
  dropped: Dropped[]
  /** What the deadline left out. */
  leftOut: readonly LeftOut[]
  /** The one that orders them. */
  reranker: Reranker | null
  pace: Pace
  /** Says that the request is packed, so that background runs go on. */
  release(): void
}

/**
 * Runs the pipeline after retrieval. Every candidate is either packed, or dropped with one reason.
 *
 * When the signal aborts, ranking goes on without the steps that take long, and packing packs what it has tried by then. So
 * retrieved candidates are answered whenever the deadline comes; `isLate` says that some were not tried.
 */
export async function rankAndPack(input: RankAndPackInput, record: RunRecord): Promise<Packed> {
  const ranked = await rankCandidates(input, record)
  return packRanked(ranked, input, record).finally(ranked.release)
}

/** The first part of `rankAndPack`: every step that does not depend on the budget. The caller releases the result. */
export async function rankCandidates(input: RankAndPackInput, record: RunRecord): Promise<RankedCandidates> {
  const { signal, tenant, background } = input
  const pace = new Pace(signal, { tenant, background })
  const release = background === undefined ? beginAnswering() : () => {}
  try {
    return { ...(await rankInPace(pace, input, record)), pace, release }
  } catch (error) {
    release()
    throw error
  }
}

async function rankInPace(
  pace: Pace,
  input: RankAndPackInput,
  record: RunRecord,
): Promise<Omit<RankedCandidates, 'pace' | 'release'>> {
  const { query, intent, lists, plan } = input
  const { stage, inSteps, leftOut } = stagesOf(pace, record)
  const found = collect(lists)
  const readable = dropWithoutText(found)
  const { reranker, leansOnDense } = await inSteps('languages', readersOf(readable.kept, input, record), () => ({
    reranker: input.reranker,
    leansOnDense: false,
  }))
  const fusionBy = (leans: boolean) => ({ ...plan.fusion, weights: fusionWeights(plan, intent, leans) })
  const fusion = fusionBy(reranker === null && leansOnDense)
  const fused = await record.stage(
    'fuse',
    hitsOf(lists),
    () => inSteps('fuse', fuse(readable.kept, query, fusion), () => finish(fuse(readable.kept, null, fusion))),
    after => ({ out: after.length, changed: isFused(readable.kept, after) }),
  )
  const { containment } = plan.dedupe
  const distinct = await stage('dedupe', fused, () =>
    inSteps('dedupe', dedupe(fused, containment, query), () => finish(dedupe(fused, null))),
  )
  const pool = poolOf(distinct, plan)
  /** The pool by the weights of a question without a reranker. */
  function* poolWithoutReranker(): Steps<FilterResult> {
    const again = yield* fuse(readable.kept, query, fusionBy(true))
    return poolOf(yield* dedupe(again, containment, query), plan)
  }
  const rerankedPool = async (): Promise<FilterResult> => {
    const kept = await rerank(pool.kept, { ...input, reranker }, record)
    if (reranker === null || isReranked(kept) || !leansOnDense) return { ...pool, kept }
    // That the reranker did not order them is said already, so this is no further step that was left out.
    return pace.run(poolWithoutReranker(), RANKING_GRACE_MS).catch(whenTimeIsUp(() => pool))
  }
  const reranked = await record.stage('rerank', pool.kept.length, rerankedPool, ({ kept }) => ({
    out: kept.length,
    changed: isReranked(kept) && differ(pool.kept, kept),
  }))
  const { bonus } = plan.answerability
  const answering = await stage('answerability', reranked.kept, () =>
    inSteps('answerability', addAnswerability(reranked.kept, query, intent, bonus), () => reranked.kept),
  )
  const cut = [...readable.dropped, ...reranked.dropped]
  // In the order `stable`, what an earlier turn of the session has packed must not move.
  const placed = await inSteps('places', withDerivedPlaces(answering, plan.order === 'stable'), () => answering)
  return { candidates: placed, dropped: cut, leftOut, reranker }
}

const isReranked = (candidates: readonly Candidate[]) => candidates.some(({ rerank }) => rerank !== null)

/** The candidates that go on, told apart where they share titles, with values scaled to the best one. */
function poolOf({ kept, dropped }: FilterResult, plan: Plan): FilterResult {
  const pool = cutTo(kept, poolSize(plan), 'below_pool')
  return { kept: scaleToBest(tellApart(pool.kept)), dropped: [...dropped, ...pool.dropped] }
}

/** The second part of `rankAndPack`: the steps that depend on the budget. One ranking can be packed at several budgets. */
export async function packRanked(
  { candidates, dropped, leftOut: before, reranker, pace }: RankedCandidates,
  input: RankAndPackInput,
  record: RunRecord,
): Promise<Packed> {
  const { query, plan } = input
  const { stage, inTime, inSteps, leftOut } = stagesOf(pace, record, before)
  const reunified = await stage('reunify', candidates, () =>
    inTime('reunify', reunify(candidates, dropped, input, record, pace), () => ({ kept: candidates, dropped })),
  )
  const values = scaleToBest(reunified.kept)
  const { topK } = plan.rerank
  const diverse = await stage('diversify', values, () =>
    inSteps('diversify', diversify(values, mmrAlpha(plan), topK), () => finish(diversify(values, null, topK))),
  )
  const relevant = input.relevanceOf
    ? dropIrrelevant(diverse.kept, input.relevanceOf, plan.packing)
    : { kept: diverse.kept, dropped: [] }
  const size = relevant.kept.length
  const fetchParents = () =>
    inTime('parents', parentsOf(relevant.kept, input, record, pace), () => new Map<string, Chunk>())
  const parents =
    plan.packing.parentExpansion === null
      ? new Map<string, Chunk>()
      : await record.stage('parents', size, fetchParents, () => ({ out: size, changed: false }))
  const packed = await record.stage(
    'pack',
    size,
    async () => {
      const matches = await sentenceMatches(relevant.kept, { ...input, reranker }, record, pace)
      const options = { ...packOptions(input), parents, sentenceMatches: matches }
      return pace.run(pack(relevant.kept, query, options, input.count), PACKING_GRACE_MS)
    },
    after => ({ out: after.packed.length, changed: after.dropped.length > 0 }),
  )
  if (leftOut.length > 0) record.degrade('ranking_partial', `left out: ${leftOut.join(', ')}`)
  if (packed.isLate) record.degrade('packing_partial', `packed ${packed.packed.length}/${size}`)
  return { ...packed, dropped: [reunified, diverse, relevant, packed].flatMap(step => step.dropped) }
}

/** Answers for a step without time. Other errors go on. */
function whenTimeIsUp<Result>(instead: () => Result): (error: unknown) => Result {
  return error => {
    if (!(error instanceof TimeUp)) throw error
    return instead()
  }
}

/** How stages run at a pace: each is recorded, and those without time are left out. @param before what was left out before */
function stagesOf(pace: Pace, record: RunRecord, before: readonly LeftOut[] = []) {
  const leftOut = [...before]
  /** Runs a stage and compares the candidates before and after it. */
  const stage = <Result extends Candidate[] | FilterResult>(
    name: StageName,
    before: readonly Candidate[],
    run: () => Promise<Result>,
  ): Promise<Result> =>
    record.stage(name, before.length, run, (result: Candidate[] | FilterResult) => {
      const after = Array.isArray(result) ? result : result.kept
      return { out: after.length, changed: differ(before, after) }
    })
  /** Runs a step, or what replaces it when its time is up. */
  const inTime = <Result>(name: LeftOut, run: Promise<Result>, instead: () => Result): Promise<Result> =>
    run.catch(
      whenTimeIsUp(() => {
        leftOut.push(name)
        return instead()
      }),
    )
  const inSteps = <Result>(name: LeftOut, steps: Steps<Result>, instead: () => Result): Promise<Result> =>
    inTime(name, pace.run(steps, RANKING_GRACE_MS), instead)
  return { stage, inTime, inSteps, leftOut }
}

/** Whether fusion combined several signals of one candidate, or changed the order of a single list. */
function isFused(before: readonly Candidate[], after: readonly Candidate[]): boolean {
  return after.some(({ signals, key }, index) => signals.length > 1 || key !== before[index]?.key)
}

function packOptions({ plan, intent, previous, relevanceOf }: RankAndPackInput) {
  const { packing, budgetTokens, format, order, maxChunks } = plan
  const probability = relevanceOf && ((candidate: Candidate) => relevanceOf(candidate).relevance)
  const asksForSteps = intent === 'procedure'
  return { ...packing, budgetTokens, format, order, maxChunks, previous, asksForSteps, relevanceOf: probability }
}
