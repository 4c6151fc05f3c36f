import { FairQueue } from '../../core/fair-queue.ts'

/** Those who wait for a turn of the event loop. */
const waiting = new FairQueue<() => void>()

/**
 * Waits until the event loop has had a turn. One waiter goes on in each turn, so that requests which work at the same time do not
 * hold the loop one after the other. Tenants take turns: the requests of one do not make another's wait longer than one of them.
 */
export function nextTurn(tenant: string | null): Promise<void> {
  return new Promise(resolve => {
    waiting.push(tenant, resolve)
    if (waiting.size === 1) setImmediate(admitOne)
  })
}

/** Whether others wait for a turn. */
export function isCrowded(): boolean {
  return waiting.size > 0
}

function admitOne(): void {
  const next = waiting.take()
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
