import type { StartTimer } from '../../pipeline/deadline.ts'
import type { PayloadMapping } from '../../qdrant/payload/read-chunk.ts'
import type { ContextualizeDependencies } from '../dependencies.ts'
import { hasContext, isUpToDate } from '../documents/survey.ts'
import type { LivePoint } from '../live-collection.ts'
import { contextualizePoints } from './contextualize-points.ts'
import { Lane, type LaneOptions, LOOKS } from './lane.ts'
import type { WrittenPoints } from './notice-upserts.ts'
import { waitingPoints } from './point-queue.ts'

/** The rules write the first context of a point, and a model a second one where there is a model. */
export type LaneName = 'rules' | 'model'

/** A collection whose new points get contexts. */
interface OnlineCollection {
  /** Whether a model writes contexts after the rules. */
  hasModel: boolean
  mapping: PayloadMapping | undefined
}

export interface OnlineOptions {
  /** Null for a collection whose points get no contexts. */
  find(collection: string): OnlineCollection | null
  /** What a lane needs for a collection as it is now. @throws StowageError when it cannot be had */
  open(collection: string, lane: LaneName, signal: AbortSignal): Promise<ContextualizeDependencies>
  onLost(event: Parameters<LaneOptions['onLost']>[0] & { lane: LaneName }): void
  onPaused: LaneOptions['onPaused']
  /** Number of points that wait. */
  onQueued(event: { points: number }): void
  /** Most points that wait for the rules, and for the model. */
  mostPoints: number
  startTimer?: StartTimer
  now?: () => number
}

const MOST_BYTES = 64 * 2 ** 20
/** Points of one document are best written together, because each round reads their whole document. */
const ROUNDS: Readonly<Record<LaneName, number>> = { rules: 500, model: 100 }

/** Writes contexts for points after they were written: those of the rules at once, those of a model at its own pace. */
export function createOnlineContexts(options: OnlineOptions) {
  const { find, open, onLost, onPaused, onQueued, mostPoints, startTimer, now } = options
  const limits = { points: mostPoints, bytes: MOST_BYTES }
  const timing = { ...(startTimer && { startTimer }), ...(now && { now }) }

  const openLane = (lane: LaneName, isDone: (point: LivePoint, version: string, hasModel: boolean) => boolean) =>
    new Lane({
      ...{ limits, round: ROUNDS[lane], onPaused, ...timing },
      onLost: event => onLost({ ...event, lane }),
      work: async (name, ids, signal) => {
        const collection = find(name)
        if (collection === null) return []
        const { hasModel, mapping } = collection
        const dependencies = await open(name, lane, signal)
        const { version } = dependencies.writer
        const work = { dependencies, mapping, isDone: (point: LivePoint) => isDone(point, version, hasModel) }
        const left = await contextualizePoints(ids, work, signal)
        if (lane === 'rules' && hasModel) lanes.model.offer(name, waitingPoints(ids, 0))
        onQueued({ points: sizeOf() })
        return left
      },
    })
  const lanes = {
    // A context of a model is not replaced by one of the rules.
    rules: openLane('rules', (point, version, hasModel) => (hasModel ? hasContext(point) : isUpToDate(point, version))),
    model: openLane('model', isUpToDate),
  }
  const sizeOf = () => lanes.rules.size + lanes.model.size

  return {
    offer: ({ collection, ids, isWritten }: WrittenPoints): void => {
      lanes.rules.offer(collection, waitingPoints(ids, isWritten ? 0 : LOOKS))
      onQueued({ points: sizeOf() })
    },
    /** Why contexts are not written, one sentence each; empty when nothing is wrong. */
    get pauses(): string[] {
      return [...lanes.rules.pauses, ...lanes.model.pauses]
    },
    /** Points that wait. */
    get size(): number {
      return sizeOf()
    },
    /** Waits at most `graceMs` for what is written now. The points that wait are lost; `stowage contextualize` finds them. */
    close: async (graceMs: number): Promise<void> => {
      await Promise.all([lanes.rules.close(graceMs), lanes.model.close(graceMs)])
    },
  }
}
