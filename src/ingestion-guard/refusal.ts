import { shortened } from '../core/schema-faults.ts'
import type { UpsertReport } from './check-upserts.ts'
import type { UpsertFault } from './faults.ts'

const LONGEST_SHOWN = 100

const MUST_BE = {
  text: 'a text',
  position: 'a whole number from 0',
  share: 'a number from 0 to 1',
  'list of texts': 'a list of texts',
} as const

/** One sentence or more for each fault: the field, the points, the values, and the setting that allows it. */
export function describeFaults(collection: string, { points, faults }: UpsertReport): string {
  const described = faults.map(fault => `${fault.field}: ${describe(fault, points)}`)
  return `The points do not fit the managed collection ${collection}. ${described.join(' ')}`
}

function describe(fault: UpsertFault, points: number): string {
  const which = `${fault.points} of ${points} points (ids ${idsOf(fault)})`
  const value = shortened(fault.value ?? '', LONGEST_SHOWN)
  switch (fault.problem) {
    case 'missing':
      return `missing in ${which}.${fault.field === 'embedder_version' ? ALLOWED : ''}`
    case 'other embedder':
      return `${value} in ${which}, but the vectors of the collection are of ${shortened(fault.stored ?? '', LONGEST_SHOWN)}, and vectors of different embedders cannot be compared.${ALLOWED}`
    default:
      return `${value} in ${which} must be ${MUST_BE[fault.problem]}.`
  }
}

const ALLOWED = ' INGESTION_GUARD_ALLOW_MIXED=on allows it.'

function idsOf({ ids, points }: UpsertFault): string {
  const shown = ids.map(id => shortened(id || 'none', LONGEST_SHOWN)).join(', ')
  return points > ids.length ? `${shown} and ${points - ids.length} more` : shown
}
