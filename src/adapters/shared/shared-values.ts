import { LARGEST_VALUE, type TokenRate } from '../../core/shared-store.ts'
import type { Reporter } from '../../observe/events.ts'
import type { SharedKind, SharedOperation, SharedResult } from '../../observe/metrics/shared.ts'
import { parseJson, printJson } from '../../qdrant/json.ts'
import type { LaneResult } from './lane.ts'
import type { SealedValues } from './sealed-values.ts'
import type { SteadyStore } from './steady-store.ts'

/** JSON values in a shared store, by what they depend on. No method rejects. */
export interface SharedValues {
  /**
   * The key of a value. It names the format and the kind, and nothing else can be read from it.
   * @param parts all that the value depends on, as JSON: whose it is, too
   */
  key(kind: SharedKind, parts: unknown): string
  /**
   * The values of some keys of a kind; null for one that is not there or cannot be read.
   * @param read checks a value; null or an error for one that is not right
   * @returns null when the store cannot be asked
   */
  getMany<Value>(
    kind: SharedKind,
    keys: readonly string[],
    read: (json: unknown) => Value | null,
  ): Promise<(Value | null)[] | null>
  /** Stores values that are not too large. @returns whether the store took them */
  setMany(kind: SharedKind, values: readonly { key: string; value: unknown }[], ttlMs: number): Promise<boolean>
  /** @returns whether the store has forgotten them */
  deleteMany(kind: SharedKind, keys: readonly string[]): Promise<boolean>
  /** @returns 0 for a token, else milliseconds until there is one; null when the store cannot be asked */
  takeToken(parts: unknown, rate: TokenRate): Promise<number | null>
}

interface SharedValuesOptions {
  store: Pick<SteadyStore, 'getMany' | 'setMany' | 'deleteMany' | 'takeToken'>
  sealed: SealedValues
  /** What no two deployments with other data have in common. */
  deployment: string
  report: Reporter['sharedUsed']
}

/** Of the keys and of what the values hold. A process never reads what another format has. */
const FORMAT = 1
/** Texts that are surely too large are not compressed first. In UTF-16 units. */
const LONGEST_TEXT = 8 * LARGEST_VALUE

export function createSharedValues({ store, sealed, deployment, report }: SharedValuesOptions): SharedValues {
  const key = (kind: SharedKind, parts: unknown) => `${FORMAT}:${kind}:${sealed.digest(printJson([deployment, parts]))}`

  function count(operation: SharedOperation, kind: SharedKind, results: readonly SharedResult[]): void {
    for (const result of new Set(results))
      report({ operation, kind, result, count: results.filter(other => other === result).length })
  }
  function wrote(kind: SharedKind, result: LaneResult<unknown>, times = 1): boolean {
    count('write', kind, Array<SharedResult>(times).fill(result.outcome))
    return result.outcome === 'done'
  }

  return {
    key,
    async getMany(kind, keys, read) {
      const found = await store.getMany(keys)
      if (found.outcome !== 'done') {
        count('read', kind, Array<SharedResult>(keys.length).fill(found.outcome))
        return null
      }
      const values = await Promise.all(
        keys.map(async (key, at) => {
          const bytes = found.value[at] ?? null
          if (bytes === null) return { value: null, result: 'miss' as const }
          try {
            const value = read(parseJson(await sealed.open(bytes, key)))
            return { value, result: value === null ? ('unreadable' as const) : ('hit' as const) }
          } catch {
            return { value: null, result: 'unreadable' as const }
          }
        }),
      )
      const results = values.map(({ result }) => result)
      count('read', kind, results)
      return values.map(({ value }) => value)
    },
    async setMany(kind, values, ttlMs) {
      const sealing = values.map(async ({ key, value }) => {
        const text = printJson(value)
        // What cannot be compressed is left out like what is too large.
        const bytes = text.length > LONGEST_TEXT ? null : await sealed.seal(text, key).catch(() => null)
        return bytes === null || bytes.byteLength > LARGEST_VALUE ? [] : [{ key, value: bytes, ttlMs }]
      })
      const small = (await Promise.all(sealing)).flat()
      count('write', kind, Array<SharedResult>(values.length - small.length).fill('too_large'))
      return small.length > 0 && wrote(kind, await store.setMany(small), small.length)
    },
    async deleteMany(kind, keys) {
      return wrote(kind, await store.deleteMany(keys), keys.length)
    },
    async takeToken(parts, rate) {
      const taken = await store.takeToken(key('limits', parts), rate)
      wrote('limits', taken)
      return taken.outcome === 'done' ? taken.value : null
    },
  }
}
