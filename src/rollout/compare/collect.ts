import { getOrInsert } from '../../core/collections.ts'
import type { LostTraces } from '../../pipeline/trace/lost-traces.ts'
import { type ObservedRequest, parseOutcomeLine, parseTraceLine } from './observed-request.ts'
import { createOutcomeTable, type OutcomeTable } from './outcome-table.ts'
import { createShadowPairs, type ShadowPairs } from './shadow-pairs.ts'
import { textLines } from './text-lines.ts'

/** Broken lines that are named. The others are counted. */
const NAMED_FAULTS = 5

interface CollectOptions {
  /** Only this experiment; null for all. */
  experiment: string | null
  /** Only what began at or after this time, in milliseconds since 1970; null for all. */
  since: number | null
  /** Limits of the memory: requests of each experiment, and waiting halves of shadow pairs. */
  mostRows: number
  mostWaiting: number
}

export const COLLECT_LIMITS = { mostRows: 500_000, mostWaiting: 20_000 }

/** What was read, by experiment. */
export interface Collected {
  tables: ReadonlyMap<string, OutcomeTable>
  pairs: ShadowPairs
  lines: number
  /** Lines that were not understood. */
  broken: number
  /** Traces that the server could not write, of all requests. */
  lost: number
  /** `FILE:LINE: what is wrong`, for the first of them. */
  faults: readonly string[]
  /** Names of experiments that were left out by `experiment`. */
  others: ReadonlySet<string>
}

/** Reads requests of experiments line by line, in bounded memory. A line that is not understood is counted, and ends nothing. */
export function createCollector({ experiment, since, mostRows, mostWaiting }: CollectOptions) {
  const tables = new Map<string, OutcomeTable>()
  const others = new Set<string>()
  const faults: string[] = []
  const collected = { tables, pairs: createShadowPairs(mostWaiting), lines: 0, broken: 0, lost: 0, faults, others }

  const isWanted = (name: string, startedAt: number | null) => {
    const isOther = experiment !== null && name !== experiment
    if (isOther) others.add(name)
    return !isOther && (since === null || startedAt === null || startedAt >= since)
  }

  const tableOf = (name: string) => getOrInsert(tables, name, () => createOutcomeTable(mostRows))

  const take = (request: ObservedRequest) => {
    if (isWanted(request.experiment, request.startedAt)) tableOf(request.experiment).add(request)
  }

  const takeLost = ({ lost_until: until, lost_traces: counts }: LostTraces) => {
    const at = Date.parse(until)
    if (since !== null && at < since) return
    for (const { experiment: name, variant, traces } of counts) {
      collected.lost += traces
      if (name !== null && variant !== null && isWanted(name, at)) tableOf(name).lose({ variant, requests: traces, at })
    }
  }

  const takeTrace = (text: string) => {
    const trace = parseTraceLine(text)
    if (trace === null) return
    if ('lost_traces' in trace) return takeLost(trace)
    if (trace.request) take(trace.request)
    const { experiment: shadowed } = trace.run
    // An answer does not name the experiment that shadows it.
    if (trace.shadowOf === null || isWanted(shadowed ?? '', trace.startedAt)) collected.pairs.add(trace)
  }

  /** @param name of the file, for faults */
  const read = async (name: string, chunks: AsyncIterable<string>, takeLine: (text: string) => void) => {
    for await (const { number, text, ended } of textLines(chunks)) {
      if (text.trim() === '') continue
      collected.lines += 1
      try {
        takeLine(text)
      } catch (error) {
        if (!ended) continue
        collected.broken += 1
        if (faults.length < NAMED_FAULTS) faults.push(`${name}:${number}: ${(error as Error).message}`)
      }
    }
  }

  return {
    /** Reads TRACE_FILE lines. */
    readTraces: (name: string, chunks: AsyncIterable<string>) => read(name, chunks, takeTrace),
    /** Reads the outcomes of a server. */
    readOutcomes: (name: string, chunks: AsyncIterable<string>) =>
      read(name, chunks, text => take(parseOutcomeLine(text))),
    collected,
  }
}
