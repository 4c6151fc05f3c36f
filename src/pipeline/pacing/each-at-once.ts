/**
 * Calls a function for every item, at most `limit` at a time, in the order of the items. After the first failure no more begin, and it
 * rejects with it when those in flight have ended.
 */
export async function eachAtOnce<Item>(
  items: Iterable<Item>,
  limit: number,
  run: (item: Item) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = []
  const queue = items[Symbol.iterator]()
  const work = async () => {
    for (let next = queue.next(); !next.done && failures.length === 0; next = queue.next())
      await run(next.value).catch(error => failures.push(error))
  }
  await Promise.all(Array.from({ length: Math.max(1, limit) }, work))
  if (failures.length > 0) throw failures[0]
}
