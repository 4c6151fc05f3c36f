/** Those who wait for a turn of the event loop, in the order of their coming. */
const waiting: (() => void)[] = []

/**
 * Waits until the event loop has had a turn. One waiter goes on in each turn, so that requests which work at the same time do not
 * hold the loop one after the other.
 */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => {
    if (waiting.push(resolve) === 1) setImmediate(admitOne)
  })
}

/** Whether others wait for a turn. */
export function isCrowded(): boolean {
  return waiting.length > 0
}

function admitOne(): void {
  const next = waiting.shift()
  if (waiting.length > 0) setImmediate(admitOne)
  next?.()
}
