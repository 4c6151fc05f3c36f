/**
 * Names by their weights. The heaviest is found without a look at all of them: there may be as many as vectors, when clients change their
 * keys all the time.
 */
export class Weights {
  /** The names of each weight, in the order in which they came to have it. */
  readonly #names = new Map<number, Set<string>>()
  /** No name is heavier. */
  #most = 0

  /** Weights are 0 while the name is not there. */
  change(name: string, before: number, after: number): void {
    if (before === after) return
    const former = this.#names.get(before)
    former?.delete(name)
    if (former?.size === 0) this.#names.delete(before)
    if (after === 0) return
    this.#names.set(after, (this.#names.get(after) ?? new Set()).add(name))
    this.#most = Math.max(this.#most, after)
  }

  /** The first of the heaviest names. @throws Error when there is none */
  heaviest(): string {
    for (; this.#most > 0; this.#most--) {
      const [first] = this.#names.get(this.#most) ?? []
      if (first !== undefined) return first
    }
    throw new Error('there is no name')
  }

  clear(): void {
    this.#names.clear()
    this.#most = 0
  }
}
