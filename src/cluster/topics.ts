import type { Config } from '../config.ts'
import type { WrittenPoints } from '../contextualize/online/notice-upserts.ts'
import type { ExperimentOutcome } from '../pipeline/plan/outcome.ts'
import type { TraceOwner } from '../pipeline/services.ts'
import type { Lookup } from '../relay/memory/scope.ts'
import type { Rollback } from '../rollout/rollout.ts'
import type { Snapshot } from './metrics-sum.ts'

/** What the processes of a cluster say to each other: a question, or a message that needs no answer. */
interface Topics {
  /** A worker asks what it starts with. */
  start: { question: null; answer: WorkerStart }
  /** A worker accepts connections. */
  listening: { question: Listening; answer: null }
  /** A worker cannot start. It ends when this is answered. */
  failed: { question: Failure; answer: null }
  /** A worker says something to other workers. The answer has theirs. */
  forward: { question: Forwarded; answer: unknown[] }
  /** The event loop of a worker turns. */
  beat: { question: null; answer: null }
  /** Ends a worker: it waits at most `graceMs` for running requests. New ones wait until the port is closed. */
  stop: { question: { graceMs: number }; answer: null }
  /** A worker that ends gets no more connections. */
  portClosed: { question: null; answer: null }
  /** Reads the files of tenants, flags and plans again. */
  reload: { question: null; answer: null }
  /** A worker has accepted the content of a file that is read again. The primary keeps the last one. */
  accepted: { question: { variable: string; bytes: Uint8Array }; answer: null }
  /** The address of the first worker alone; null while it is away. */
  firstAddress: { question: string | null; answer: null }
  /** A line for the file of traces, which the primary writes. */
  traceLine: { question: string; answer: null }
  /** The metrics of all processes as one page. */
  metricsPage: { question: { openMetrics: boolean }; answer: string }
  /** The metrics of one process. */
  metrics: { question: null; answer: Snapshot }
  /** Looks for a trace. The answer is JSON, because a structured clone of numbers with many digits loses their type. */
  trace: { question: { traceId: string; owner: TraceOwner }; answer: string | null }
  /** The kept traces of an owner, as JSON. */
  traces: { question: TraceOwner; answer: string }
  /** Answers from a collection are no longer true; null: from any. */
  written: { question: string | null; answer: null }
  /** An outcome for the judge of experiments. */
  outcome: { question: ExperimentOutcome; answer: null }
  /** The experiments that are rolled back now. */
  rollbacks: { question: readonly Rollback[]; answer: null }
  /** Points that may need contexts. */
  pointsWritten: { question: WrittenPoints; answer: null }
  /** Looks for the question of a vector in the memory of a relay. */
  vectorQuestion: { question: { scopes: readonly string[]; vector: readonly number[] }; answer: Lookup }
}

export type Topic = keyof Topics
export type Question<Name extends Topic> = Topics[Name]['question']
export type Answer<Name extends Topic> = Topics[Name]['answer']

/** A message for other workers, in an envelope for the primary. */
export interface Forwarded {
  to: 'others' | 'first'
  topic: Topic
  body: unknown
  timeoutMs: number
}

export interface WorkerStart {
  /** As it was when the whole started: a file that it names, such as a plan, may have faults by now. */
  config: Config
  /** Never 0: all workers listen on the same port. */
  port: number
  host: string
  /** Number of workers. */
  count: number
  /** Whether this one has the work that must be done once. */
  isFirst: boolean
  /** The embedded engine of the primary; null with a Qdrant server. */
  engineUrl: string | null
  /** Null: they are not known, because no first worker has told them since the start. */
  rollbacks: readonly Rollback[] | null
  firstAddress: string | null
  /** What workers have last accepted of files that are read again, by the variable of the file. */
  accepted: ReadonlyMap<string, Uint8Array>
  /** What only the processes of this cluster know. */
  secret: string
}

export interface Listening {
  url: string
  description: Record<string, string>
  /** What an operator may have forgotten, one sentence each. */
  warnings: readonly string[]
  /** Whether there are files to read again. */
  canReload: boolean
  /** The address of the first worker alone; null for the others. */
  ownAddress: string | null
}

/** Why a worker cannot start. Faults are those of the configuration; null for every other reason. */
export interface Failure {
  message: string
  faults: readonly string[] | null
}
