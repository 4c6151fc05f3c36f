import { availableParallelism } from 'node:os'
import type { AcceptedContent } from '../adapters/reload.ts'
import type { LineFile } from '../adapters/traces/jsonl-file.ts'
import { compareText } from '../core/collections.ts'
import type { BumpEpoch } from '../http/passthrough/write-epoch.ts'
import type { Metrics, PrintedMetrics } from '../observe/metrics.ts'
import type { FindTrace, ListTraces, TraceOwner, TraceStore } from '../pipeline/services.ts'
import type { Trace } from '../pipeline/trace/schema.ts'
import type { TraceSummary } from '../pipeline/trace/summary.ts'
import { parseJson, printJson } from '../qdrant/json.ts'
import type { LookUp } from '../relay/find-question.ts'
import type { Line } from './line.ts'
import type { FirstWorker } from './pass-on.ts'
import { createPeers, type Peers } from './peers.ts'
import type { WorkerStart } from './topics.ts'

/** A worker among others: what it has in common with them. */
export interface Member {
  readonly start: WorkerStart
  readonly peers: Peers
  /** The first worker, as it is now. */
  readonly first: FirstWorker
  /** Threads for a model, so that all workers together have about one for each core. */
  readonly modelThreads: number
  /** The file of traces, which the primary writes. */
  readonly traceFile: LineFile
  /** The content of a file that is read again, by its variable, as the workers have last accepted it. */
  accepted(variable: string): AcceptedContent
  /** The sum of all processes in place of the metrics of this one. */
  sumOf(metrics: Metrics): PrintedMetrics
  /** Finds traces of this worker, and then those of the others. */
  findTrace(own: TraceStore): FindTrace
  /** Lists traces of this worker and of the others. */
  listTraces(own: TraceStore): ListTraces
  /** Lets writes that one worker sees make the cached answers of all of them unfindable. */
  shareEpochs(bumpEpoch: BumpEpoch, hasCache: boolean): BumpEpoch
  /** Looks for the questions of vectors among those of the others, and lets them look here. */
  lookElsewhere(own: LookUp): LookUp
}

/** A scrape waits this long for the sum, in milliseconds: Prometheus gives up after 10 s by default. */
const METRICS_MS = 5_000
/** A worker that is busy for longer is left out. */
const TRACE_MS = 1_000
/** A search waits this long for the question of its vector. */
const QUESTION_MS = 250
const TRACE_LINE_MS = 10_000
const MOST_THREADS = 4

export function createMember(line: Line, start: WorkerStart): Member {
  const peers = createPeers(line)
  let address = start.firstAddress
  line.on('firstAddress', told => {
    address = told
  })
  return {
    start,
    peers,
    first: {
      secret: start.secret,
      get address() {
        return address
      },
    },
    modelThreads: Math.max(1, Math.min(MOST_THREADS, Math.floor(availableParallelism() / start.count))),
    traceFile: {
      append: async text => {
        await line.ask('traceLine', text, TRACE_LINE_MS)
      },
    },
    accepted: variable => ({
      bytes: start.accepted.get(variable) ?? null,
      keep: bytes => line.tell('accepted', { variable, bytes }),
    }),
    sumOf({ registry, openMetrics }) {
      line.on('metrics', () => registry.getMetricsAsJSON())
      const page = (isOpen: boolean) => () => line.ask('metricsPage', { openMetrics: isOpen }, METRICS_MS)
      return {
        registry: { contentType: registry.contentType, metrics: page(false) },
        openMetrics: { contentType: openMetrics.contentType, metrics: page(true) },
      }
    },
    findTrace(own) {
      peers.on('trace', ({ traceId, owner }) => {
        const trace = own.find(traceId, owner)
        return trace === null ? null : printJson(trace)
      })
      return async (traceId, { tenant, apiKey }) => {
        const known = own.find(traceId, { tenant, apiKey })
        if (known !== null) return known
        const owner = bareOwner({ tenant, apiKey })
        const found = (await peers.ask('trace', { traceId, owner }, TRACE_MS)).find(json => json !== null)
        return found === undefined ? null : (parseJson(found) as Trace)
      }
    },
    listTraces(own) {
      peers.on('traces', owner => printJson(own.list(owner)))
      return async owner => {
        const lists = await peers.ask('traces', bareOwner(owner), TRACE_MS)
        const others = lists.flatMap(json => parseJson(json) as TraceSummary[])
        return [...own.list(owner), ...others].sort((a, b) => compareText(b.started_at, a.started_at))
      }
    },
    shareEpochs(bumpEpoch, hasCache) {
      if (!hasCache) return bumpEpoch
      peers.on('written', collection => {
        bumpEpoch(collection)
      })
      return collection => {
        bumpEpoch(collection)
        peers.tell('written', collection)
      }
    },
    lookElsewhere(own) {
      peers.on('vectorQuestion', ({ scopes, vector }) => own(scopes, vector))
      return async (scopes, vector) => {
        const found = await peers.ask('vectorQuestion', { scopes, vector: [...vector] }, QUESTION_MS)
        return found.find(({ result }) => result !== 'unknown') ?? { text: null, result: 'unknown' }
      }
    },
  }
}

/** A tenant has functions, which no message can carry. */
const bareOwner = ({ tenant, apiKey }: TraceOwner): TraceOwner => ({
  tenant: tenant && { name: tenant.name, condition: tenant.condition },
  apiKey,
})
