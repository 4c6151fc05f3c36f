/** Groups items by key, in the order of each key's first item. Items of a group keep their order. */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) addTo(groups, keyOf(item), item)
  return groups
}

/** Adds an item at the end of the group of a key. */
export function addTo<Item, Key>(groups: Map<Key, Item[]>, key: Key, item: Item): void {
  const group = groups.get(key)
  if (group) group.push(item)
  else groups.set(key, [item])
}

/** The value of a key; where there is none, the one that `make` gives, which the key has from then on. */
export function getOrInsert<Key, Value>(
  values: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  const known = values.get(key)
  if (known !== undefined) return known
  const value = make()
  values.set(key, value)
  return value
}

/** Counts equal values, in the order of their first occurrence. */
export function countOf<Value>(values: Iterable<Value>): Map<Value, number> {
  const counts = new Map<Value, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

/** The most frequent value with its count, the first of equals; undefined without values. */
export function mostFrequent<Value>(values: Iterable<Value>): [Value, number] | undefined {
  return [...countOf(values)].sort(([, left], [, right]) => right - left)[0]
}

/** Raises the value of a key to `value`, when it is less or missing. Values are 0 or above. */
export function raiseTo<Key>(values: Map<Key, number>, key: Key, value: number): void {
  values.set(key, Math.max(values.get(key) ?? 0, value))
}

/** Sets a value as the latest one, and forgets the oldest one where there are more than `most`. @returns whether one was forgotten */
export function keepLatest<Key, Value>(values: Map<Key, Value>, key: Key, value: Value, most: number): boolean {
  values.delete(key)
  values.set(key, value)
  const [oldest] = values.keys()
  return values.size > most && oldest !== undefined && values.delete(oldest)
}

/** The first place in a sorted list of this length at which a condition holds that holds behind it too, by bisection; the length when there is none. */
export function firstPlace(length: number, holds: (place: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** Compares texts by UTF-16 code units, for `sort`. Unlike a locale's order it is the same on every machine. */
export function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

/** The words of a text, with white space between them, as a set. */
export const wordSet = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Cuts a list into parts of this size; the last one may be smaller. */
export function* batchesOf<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
