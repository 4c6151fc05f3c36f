import { z } from 'zod'
import type { SharedQuestions } from '../../relay/find-question.ts'
import { AMBIGUOUS, isSameQuestion, type Lookup, UNKNOWN } from '../../relay/memory/scope.ts'
import { directionOf, float32Of, isSameDirection, signsOf, vectorKey } from '../../relay/memory/vector.ts'
import type { SharedValues } from './shared-values.ts'

/** Questions that wait to be shared. Beyond it, further ones are not shared. */
const MOST_WAITING = 1_000

/** The question of a vector. It stands under the vector, and under the signs of its direction; there the newest one wins. */
interface Shared {
  /** Null when the vector stands for different questions. */
  text: string | null
  direction: Float32Array | null
}

const sharedSchema = z.object({ text: z.string().nullable(), direction: z.base64().nullable() })

/** The questions of vectors that other processes have relayed. @param ttlMs how long they are kept, in milliseconds */
export function createSharedQuestions(values: SharedValues, ttlMs: number): SharedQuestions {
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()

  /** Where the question of a vector stands. */
  function placesOf(scope: string, vector: Float32Array) {
    const direction = directionOf(vector)
    const exact = values.key('questions', [scope, vectorKey(vector)])
    const similar = direction === null ? [] : [values.key('questions', [scope, signsOf(direction)])]
    return { direction, keys: [exact, ...similar] }
  }

  async function share(scope: string, vector: Float32Array, text: string | null): Promise<void> {
    const { direction, keys } = placesOf(scope, vector)
    const known = await values.getMany('questions', keys, readShared)
    if (known === null) return
    const [exact, similar] = known
    const isOther = (other: Shared | null | undefined) =>
      other && (other.text === null || text === null || !isSameQuestion(other.text, text))
    const isSimilar = similar?.direction && direction && isSameDirection(similar.direction, direction)
    const kept = isOther(exact) || (isSimilar && isOther(similar)) ? null : text
    const value = { text: kept, direction: direction && Buffer.from(direction.slice().buffer).toString('base64') }
    const entries = keys.map(key => ({ key, value }))
    await values.setMany('questions', entries, ttlMs)
  }

  return {
    // One after the other, so that two questions of one vector do not miss each other.
    remember(scope, given, text) {
      const vector = float32Of(given)
      if (vector === null || waiting >= MOST_WAITING) return
      waiting++
      last = last.then(() => share(scope, vector, text)).finally(() => waiting--)
    },
    async find(scopes, given) {
      const vector = float32Of(given)
      if (vector === null) return UNKNOWN
      const places = scopes.map(scope => placesOf(scope, vector))
      const keys = places.flatMap(place => place.keys)
      const known = await values.getMany('questions', keys, readShared)
      for (const { direction, keys } of places) {
        const [exact, similar] = known?.splice(0, keys.length) ?? []
        if (exact) return lookupOf(exact, 'exact')
        if (similar?.direction && direction && isSameDirection(similar.direction, direction))
          return lookupOf(similar, 'direction')
      }
      return UNKNOWN
    },
  }
}

function lookupOf({ text }: Shared, result: 'exact' | 'direction'): Lookup {
  return text === null ? AMBIGUOUS : { text, result }
}

function readShared(json: unknown): Shared | null {
  const { success, data } = sharedSchema.safeParse(json)
  if (!success) return null
  if (data.direction === null) return { text: data.text, direction: null }
  const bytes = new Uint8Array(Buffer.from(data.direction, 'base64'))
  return { text: data.text, direction: new Float32Array(bytes.buffer) }
}
