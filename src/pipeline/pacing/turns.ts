import { FairQueue } from '../../core/work/fair-queue.ts'

/** Those who wait for a turn of the event loop. */
const waiting = new FairQueue<() => void>()
/** Virtual time of each tenant: the milliseconds that it had, with the time in which it wanted none left out. */
const served = new Map<string | null, number>()
/** Virtual time of the tenant that had the last turn. */
let clock = 0
/** How far a tenant that wanted nothing for a while is before the others: enough for the work of a usual request. */
const CREDIT_MS = 100
/** What a turn counts at least. The work in it is added. */
const TURN_MS = 1
/** Tenants beyond this number are forgotten as soon as that changes nothing. */
const MOST_KNOWN = 100

/**
 * Waits until the event loop has had a turn. One waiter goes on in each turn, so that requests which work at the same time do not
 * hold the loop one after the other. The turn is of the tenant that had the least time (start-time fair queueing): a tenant with a short
 * request does not wait for the long work of another, and none waits for ever, because each turn counts.
 */
export function nextTurn(tenant: string | null): Promise<void> {
  return new Promise(resolve => {
    waiting.push(tenant, resolve)
    if (waiting.size === 1) setImmediate(admitOne)
  })
}

/** Counts the work of a tenant, in milliseconds. */
export function countWork(tenant: string | null, ms: number): void {
  served.set(tenant, servedTo(tenant) + ms)
  if (served.size <= MOST_KNOWN) return
  for (const [known, time] of served) if (time <= clock - CREDIT_MS) served.delete(known)
}

/** Whether others wait for a turn. */
export function isCrowded(): boolean {
  return waiting.size > 0
}

function servedTo(tenant: string | null): number {
  return Math.max(served.get(tenant) ?? Number.NEGATIVE_INFINITY, clock - CREDIT_MS)
}

function admitOne(): void {
  let least: string | null = null
  let time = Number.POSITIVE_INFINITY
  for (const tenant of waiting.tenants()) {
    if (servedTo(tenant) < time) {
      time = servedTo(tenant)
      least = tenant
    }
  }
  clock = Math.max(clock, time)
  countWork(least, TURN_MS)
  const next = waiting.take(least)
  if (waiting.size > 0) setImmediate(admitOne)
  next?.()
}

/** Whether work began in this turn of the event loop that did not wait for it. */
let isTaken = false

/**
 * Takes this turn of the event loop for work that just came, unless others wait, or came in the same turn. Who gets false waits for
 * the next turn. So a hundred requests that arrive together do not begin together.
 */
export function takeFreeTurn(): boolean {
  if (isTaken || isCrowded()) return false
  isTaken = true
  setImmediate(() => {
    isTaken = false
  })
  return true
}
