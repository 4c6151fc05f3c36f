import type { VariantColumns } from '../statistics/measures.ts'
import type { ObservedRequest } from './observed-request.ts'

/** Requests of one experiment, in bounded memory. */
export interface OutcomeTable {
  /** Takes a request, unless it has been taken already. */
  add(request: ObservedRequest): void
  /** Notes requests that the source has lost. */
  lose(loss: Loss): void
  /** Requests that were read twice. */
  readonly duplicates: number
  /** Share of the units whose requests are kept: 1, then 1/2, 1/4 and so on. */
  readonly keptShare: number
  readonly rows: readonly Row[]
  readonly losses: readonly Loss[]
}

/** Requests of one variant that the source has lost. */
interface Loss {
  variant: string
  requests: number
  /** When the last of them had ended, in milliseconds since 1970. */
  at: number
}

export interface Row {
  variant: string
  /** Number of the unit within the experiment. */
  unit: number
  share: number | null
  /** Milliseconds since 1970, or the number of the row when the source tells no time. */
  at: number
  failed: number
  seconds: number
  recallProxy: number
  tokens: number
  /** Hash of the unit in [0,1). */
  hash: number
  /** Hash of the request, or NaN. */
  id: number
}

/**
 * Creates an empty table. When it has `mostRows` rows, it forgets a random half of the units (by a hash of their ids) with all their
 * requests, and takes no request of them any more. What is left is a random sample of the units, so every figure stays unbiased.
 */
export function createOutcomeTable(mostRows: number): OutcomeTable {
  let rows: Row[] = []
  const losses: Loss[] = []
  let units = new Map<string, { number: number; hash: number }>()
  let ids = new Set<number>()
  let made = 0
  let read = 0
  let duplicates = 0
  let keptShare = 1

  const halve = () => {
    keptShare /= 2
    rows = rows.filter(({ hash }) => hash < keptShare)
    units = new Map([...units].filter(([, { hash }]) => hash < keptShare))
    ids = new Set(rows.map(({ id }) => id))
  }

  const unitOf = (unitId: string) => {
    const known = units.get(unitId)
    if (known) return known
    const unit = { number: made, hash: hashOf(unitId) / 2 ** 48 }
    if (unit.hash >= keptShare) return null
    made += 1
    units.set(unitId, unit)
    return unit
  }

  return {
    add(request) {
      read += 1
      const unit = unitOf(request.unitId)
      if (unit === null) return
      const id = request.id === null ? Number.NaN : hashOf(request.id)
      if (request.id !== null && ids.has(id)) {
        duplicates += 1
        return
      }
      if (request.id !== null) ids.add(id)
      rows.push({
        variant: request.variant,
        unit: unit.number,
        share: request.share,
        at: request.startedAt ?? read,
        failed: request.failed === null ? Number.NaN : Number(request.failed),
        seconds: request.seconds ?? Number.NaN,
        recallProxy: request.recallProxy ?? Number.NaN,
        tokens: request.tokens ?? Number.NaN,
        hash: unit.hash,
        id,
      })
      // A single unit with all requests cannot be halved away.
      while (rows.length >= mostRows && keptShare > 2 ** -40) halve()
    },
    lose: loss => void losses.push(loss),
    losses,
    get duplicates() {
      return duplicates
    },
    get keptShare() {
      return keptShare
    },
    get rows() {
      return rows
    },
  }
}

export function columnsOf(rows: readonly Row[]): VariantColumns {
  return {
    unit: rows.map(({ unit }) => unit),
    failed: rows.map(({ failed }) => failed),
    seconds: rows.map(({ seconds }) => seconds),
    recallProxy: rows.map(({ recallProxy }) => recallProxy),
    tokens: rows.map(({ tokens }) => tokens),
  }
}

/**
 * 48 bits of a hash: two multiplicative hashes of 32 bits (as FNV-1a), mixed so that every bit depends on all of the text. It is fast,
 * because it runs for every request, and not the hash of the assignment, so that the kept units are a random part of every variant.
 */
function hashOf(text: string): number {
  let [left, right] = [0x811c9dc5, 0x9747b28c]
  for (let place = 0; place < text.length; place++) {
    const code = text.charCodeAt(place)
    left = Math.imul(left ^ code, 0x01000193)
    right = Math.imul(right ^ code, 0x5bd1e995)
  }
  return mixed(left) * 2 ** 16 + (mixed(right ^ Math.imul(left, 0x27d4eb2f)) >>> 16)
}

function mixed(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  bits = Math.imul(bits ^ (bits >>> 12), 0x297a2d39)
  return (bits ^ (bits >>> 15)) >>> 0
}
