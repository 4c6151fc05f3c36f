import type { Candidate, RetrievedHit } from '../../../src/core/types.ts'
import { STAGES } from '../../../src/core/vocabulary.ts'
import { createImproveHandler, type ImproveDependencies, type ImproveEvent } from '../../../src/drop-in/route.ts'
import type { AppDependencies } from '../../../src/http/app.ts'
import { createPassthrough, type PassthroughProxy } from '../../../src/http/passthrough/passthrough.ts'
import { decideByConfiguration } from '../../../src/pipeline/plan/decision.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import type { ChoosePoints, ChosenPoints } from '../../../src/pipeline/services.ts'
import { createQdrantHttp } from '../../../src/qdrant/client.ts'
import type { createStage } from '../../support/stage.ts'

/** A pipeline that takes the hits in the order that `order` gives them. */
export function choosing(order: (hits: RetrievedHit[]) => { chunk: Candidate['chunk'] }[]): ChoosePoints {
  return async ({ lists }) => chosen(order(lists.flatMap(list => list.hits)))
}

/** What the pipeline answers when it chose these. */
export function chosen(hits: readonly { chunk: Candidate['chunk'] }[]): ChosenPoints {
  const candidates = hits.map(
    ({ chunk }): Candidate => ({
      key: `${chunk.collection}/${chunk.id}`,
      chunk,
      origin: 'retrieved',
      signals: [],
      fused: 0,
      rerank: null,
      answerability: { bonus: 0, features: [] },
      value: 0,
    }),
  )
  return {
    chosen: candidates,
    duplicates: new Set(),
    applied: ['fuse', 'pack'],
    degraded: [],
    traceId: 'trace-1',
    recallProxy: 1,
    tokens: 10,
  }
}

/** What `x-stowage-applied` says of an improved answer: stages that changed it, or `none`. */
export const STAGES_OR_NONE = new RegExp(
  `^(?:none|(?:${Object.keys(STAGES).join('|')})(?:,(?:${Object.keys(STAGES).join('|')}))*)$`,
)

/** stowage with the improved route before an upstream. `events` collects what it reports. */
export async function serveImproving(
  stage: ReturnType<typeof createStage>,
  upstream: string,
  {
    proxy = createPassthrough({ upstream: new URL(upstream) }),
    admitTenant = [],
    guard,
    ...overrides
  }: Partial<ImproveDependencies & { proxy: PassthroughProxy } & Pick<AppDependencies, 'admitTenant' | 'guard'>> = {},
): Promise<{ url: string; events: ImproveEvent[] }> {
  const events: ImproveEvent[] = []
  const improvePoints = createImproveHandler({
    http: createQdrantHttp(upstream),
    choosePoints: choosing(hits => hits),
    decide: decideByConfiguration(NAMED_PLANS.measured),
    deadlineMs: 60_000,
    // Longer than any deadline: tests of hedging bring their own clock.
    hedgeMs: 600_000,
    holdOriginal: proxy.hold,
    maxBytes: 100_000,
    report: event => events.push(event),
    onPause() {},
    ...overrides,
  })
  const { url } = await stage.serve({
    improvePoints,
    passthrough: proxy.passthrough,
    admitTenant,
    ...(guard && { guard }),
  })
  return { url, events }
}
