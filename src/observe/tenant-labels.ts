/** More tenants than this share one label, so that the number of series is bounded. */
const MOST_NAMED = 100
const OTHER = 'other'

/** The values of the label `tenant`. */
export class TenantLabels {
  #labels: ReadonlyMap<string, string> = new Map()

  /** @param names of all tenants, in the order of their file; the first 100 have a label of their own */
  declare(names: Iterable<string>): { added: string[]; gone: string[] } {
    const labels = new Map([...names].map((name, at) => [name, at < MOST_NAMED ? name : OTHER]))
    const [before, after] = [new Set(this.#labels.values()), new Set(labels.values())]
    this.#labels = labels
    return {
      added: [...after].filter(label => !before.has(label)),
      gone: [...before].filter(label => !after.has(label)),
    }
  }

  /** Null for a tenant that is not declared: a request can outlive its tenant. */
  of(tenant: string | null): string | null {
    return tenant === null ? null : (this.#labels.get(tenant) ?? null)
  }
}
