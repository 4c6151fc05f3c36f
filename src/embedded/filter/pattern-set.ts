/** A state of the automaton: the ways on, where to go on when there is none, and whether a pattern ends here. */
interface State {
  next: Map<string, State>
  fallback: State | undefined
  isEnd: boolean
}

/**
 * Finds any of several patterns in a sequence in one pass (Aho and Corasick, "Efficient string matching", 1975). The time is
 * linear in the lengths of the patterns and of the sequence, whatever repeats in them.
 */
export class PatternSet {
  private readonly root: State = { next: new Map(), fallback: undefined, isEnd: false }

  /** @param patterns sequences of symbols, for example tokens, or the UTF-16 units of a word */
  constructor(patterns: Iterable<ArrayLike<string>>) {
    for (const pattern of patterns) this.add(pattern)
    this.linkFallbacks()
  }

  isIn(symbols: ArrayLike<string>): boolean {
    let state = this.root
    if (state.isEnd) return true
    for (let i = 0; i < symbols.length; i++) {
      state = this.step(state, symbols[i] as string)
      if (state.isEnd) return true
    }
    return false
  }

  private add(pattern: ArrayLike<string>): void {
    let state = this.root
    for (let i = 0; i < pattern.length; i++) {
      const symbol = pattern[i] as string
      let next = state.next.get(symbol)
      if (next === undefined) {
        next = { next: new Map(), fallback: undefined, isEnd: false }
        state.next.set(symbol, next)
      }
      state = next
    }
    state.isEnd = true
  }

  /** Breadth first, so that the fallback of a state is linked before those of the states behind it. */
  private linkFallbacks(): void {
    const queue: State[] = []
    for (const state of this.root.next.values()) {
      state.fallback = this.root
      queue.push(state)
    }
    for (const state of queue) {
      for (const [symbol, next] of state.next) {
        next.fallback = this.step(state.fallback ?? this.root, symbol)
        next.isEnd ||= next.fallback.isEnd
        queue.push(next)
      }
    }
  }

  private step(from: State, symbol: string): State {
    for (let state: State | undefined = from; state !== undefined; state = state.fallback) {
      const next = state.next.get(symbol)
      if (next !== undefined) return next
    }
    return this.root
  }
}
