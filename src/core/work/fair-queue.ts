/**
 * A queue that serves its tenants in turns, and the items of one tenant in their order (round robin). So a tenant with one item in it
 * waits behind at most one item of each other tenant, however many those have. Null is the tenant of all requests without one. All
 * operations take constant time, but `ahead`.
 */
export class FairQueue<Item> {
  /** The tenants with items, the next one first. */
  readonly #turns = new Map<string | null, Set<Item>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Adds an item, which must not be in the queue yet, behind all others of its tenant. */
  push(tenant: string | null, item: Item): void {
    const items = this.#turns.get(tenant)
    if (items === undefined) this.#turns.set(tenant, new Set([item]))
    else items.add(item)
    this.#size++
  }

  /**
   * Removes the first item of the tenant whose turn it is, or of another tenant. That tenant then goes behind all others.
   * @returns undefined when there is none
   */
  take(tenant = this.#turns.keys().next().value): Item | undefined {
    const items = tenant === undefined ? undefined : this.#turns.get(tenant)
    if (tenant === undefined || items === undefined) return undefined
    const [item] = items
    this.#turns.delete(tenant)
    items.delete(item as Item)
    if (items.size > 0) this.#turns.set(tenant, items)
    this.#size--
    return item
  }

  /** The tenants with items, the next one first. */
  tenants(): IterableIterator<string | null> {
    return this.#turns.keys()
  }

  /** Removes an item out of turn. @returns whether it was in the queue */
  delete(tenant: string | null, item: Item): boolean {
    const items = this.#turns.get(tenant)
    if (!items?.delete(item)) return false
    if (items.size === 0) this.#turns.delete(tenant)
    this.#size--
    return true
  }

  /** Number of items of one tenant. */
  sizeOf(tenant: string | null): number {
    return this.#turns.get(tenant)?.size ?? 0
  }

  /** Most items that are served before a new item of this tenant, when no further ones come. */
  ahead(tenant: string | null): number {
    const own = this.sizeOf(tenant)
    let others = 0
    for (const [other, items] of this.#turns) if (other !== tenant) others += Math.min(items.size, own + 1)
    return own + others
  }
}
