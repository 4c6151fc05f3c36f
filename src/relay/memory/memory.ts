import { type Lookup, Scope, UNKNOWN } from './scope.ts'
import { float32Of } from './vector.ts'

export interface QuestionMemory {
  /** Remembers the question of a vector. Vectors that are empty, zero or not finite are left out. @returns whether it is remembered */
  remember(scope: string, vector: ArrayLike<number>, text: string): boolean
  /** Finds the question of a vector among those of the scope. */
  find(scope: string, vector: ArrayLike<number>): Lookup
  /** Number of the vectors of all scopes. */
  readonly size: number
  /** Forgets everything, and stops the timer. */
  close(): void
}

interface MemoryOptions {
  /** Most vectors, of all scopes together. A question of more than 1,024 UTF-16 units counts as several. 0: nothing is remembered. */
  vectors: number
  /** How long a question is remembered, in milliseconds. */
  ttlMs: number
  /** Milliseconds of a monotonic clock. */
  now?: () => number
}

/** Questions are forgotten at most this much later than their time, in milliseconds. */
const SWEEP_MS = 10_000

/**
 * The questions of vectors, in scopes that do not see each other. When the memory is full, the scope that holds the most loses its least
 * recently used question: nobody pushes out the questions of others by sending more.
 */
export function createQuestionMemory({ vectors, ttlMs, now = () => performance.now() }: MemoryOptions): QuestionMemory {
  const scopes = new Map<string, Scope>()
  const weights = new Weights()
  let weight = 0

  /** Changes a scope, keeps the weights, and drops a scope that is empty. */
  function change<Result>(name: string, scope: Scope, apply: () => Result): Result {
    const before = scope.weight
    const result = apply()
    weight += scope.weight - before
    weights.change(name, before, scope.weight)
    if (scope.size === 0) scopes.delete(name)
    return result
  }

  function sweep(): void {
    for (const [name, scope] of scopes) change(name, scope, () => scope.dropExpired())
  }

  const timer = setInterval(sweep, Math.min(SWEEP_MS, ttlMs))
  timer.unref()

  return {
    remember(name, values, text) {
      const vector = vectors > 0 ? float32Of(values) : null
      if (vector === null) return false
      const scope = scopes.get(name) ?? new Scope({ weight: vectors, ttlMs, now })
      scopes.set(name, scope)
      change(name, scope, () => scope.remember(vector, text))
      while (weight > vectors) {
        const fullName = weights.heaviest()
        const full = scopes.get(fullName)
        if (full !== undefined) change(fullName, full, () => full.dropOne())
      }
      return true
    },
    find(name, values) {
      const scope = scopes.get(name)
      const vector = scope === undefined ? null : float32Of(values)
      if (scope === undefined || vector === null) return UNKNOWN
      // What is too old is dropped by this.
      return change(name, scope, () => scope.find(vector))
    },
    get size() {
      let size = 0
      for (const scope of scopes.values()) size += scope.size
      return size
    },
    close() {
      clearInterval(timer)
      scopes.clear()
      weights.clear()
    },
  }
}

/** Remembers the questions of vectors; null: the vector has none. @returns how many are remembered */
export function rememberAll(
  memory: QuestionMemory,
  scope: string,
  questions: readonly (string | null)[],
  vectors: readonly ArrayLike<number>[],
): number {
  const isRemembered = (question: string | null, at: number) =>
    question !== null && memory.remember(scope, vectors[at] ?? [], question)
  return questions.filter(isRemembered).length
}

/** A memory that shares what it remembers with other processes. */
export function sharing(
  memory: QuestionMemory,
  shared: { remember(scope: string, vector: ArrayLike<number>, text: string | null): void },
): QuestionMemory {
  return {
    remember(scope, vector, text) {
      const isRemembered = memory.remember(scope, vector, text)
      // The memory knows whether the vector stands for different questions.
      if (isRemembered) shared.remember(scope, vector, memory.find(scope, vector).text)
      return isRemembered
    },
    find: (scope, vector) => memory.find(scope, vector),
    get size() {
      return memory.size
    },
    close: () => memory.close(),
  }
}

/**
 * Names by their weights. The heaviest is found without a look at all of them: there may be as many as vectors, when clients change their
 * keys all the time.
 */
class Weights {
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
