/** Patterns of collection names: `*` stands for any characters, also for none. Every other character stands for itself. */

/** Whether a name is one of those that a pattern stands for. Its time grows with the length of the name only, also for many stars. */
export function matchesPattern(pattern: string, name: string): boolean {
  const [first = '', ...parts] = pattern.split('*')
  const last = parts.pop()
  if (last === undefined) return name === pattern
  const end = name.length - last.length
  if (first.length > end || !name.startsWith(first) || !name.endsWith(last)) return false
  let at = first.length
  for (const part of parts) {
    const found = name.indexOf(part, at)
    if (found < 0 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}

/** Whether there is a name that two patterns both stand for. */
export function patternsOverlap(left: string, right: string): boolean {
  // overlaps[j]: whether the first i characters of `left` and the first j of `right` stand for a common text.
  let overlaps: boolean[] = []
  for (let i = 0; i <= left.length; i++) {
    const next: boolean[] = []
    for (let j = 0; j <= right.length; j++) {
      const [l, r] = [left[i - 1], right[j - 1]]
      if (i === 0 && j === 0) next.push(true)
      // A star stands for nothing, or for what the other pattern has there.
      else if (l === '*' || r === '*') next.push((overlaps[j] ?? false) || (next[j - 1] ?? false))
      else next.push(l === r && (overlaps[j - 1] ?? false))
    }
    overlaps = next
  }
  return overlaps[right.length] ?? false
}

/** The part of a pattern before its first star. */
export function fixedStart(pattern: string): string {
  return pattern.split('*', 1)[0] ?? ''
}
