import type { LookupResult } from '../observe/metrics/relay.ts'
import type { QuestionMemory } from './memory/memory.ts'
import type { Lookup } from './memory/scope.ts'
import type { QuestionNotice } from './notice.ts'
import { type Asker, searchedScopes } from './scopes.ts'

/** Questions that several processes share. No method rejects. */
export interface SharedQuestions {
  /** Shares the question of a vector; null: the vector stands for different questions. */
  remember(scope: string, vector: ArrayLike<number>, text: string | null): void
  /** Finds the question of a vector among those of some scopes, the first of which comes first. */
  find(scopes: readonly string[], vector: ArrayLike<number>): Promise<Lookup>
}

interface FindDependencies {
  memory: QuestionMemory
  notice: Pick<QuestionNotice, 'settled'>
  /** Is asked for what the memory does not have. Default: none. */
  shared?: SharedQuestions | null
  report(event: { result: LookupResult }): void
  /** Looks where else vectors are remembered, when one is not known here. Default: nowhere. */
  lookElsewhere?: LookUp
}

/** Looks for the question of a vector in some scopes. */
export type LookUp = (scopes: readonly string[], vector: readonly number[]) => Promise<Lookup>

/** Finds the question of a vector that somebody searches with; null when it is not known. Never rejects. */
export type FindQuestion = (asker: Asker, vector: readonly number[]) => Promise<string | null>

export function createFindQuestion({ report, lookElsewhere, shared = null, ...here }: FindDependencies): FindQuestion {
  const lookHere = createLookUp(here)
  return async (asker, vector) => {
    const scopes = searchedScopes(asker)
    let found = await lookHere(scopes, vector)
    if (found.result === 'unknown' && lookElsewhere !== undefined) found = await lookElsewhere(scopes, vector)
    if (found.result === 'unknown' && shared !== null) found = await shared.find(scopes, vector)
    report({ result: found.result })
    return found.text
  }
}

/** A client may search as soon as it has its vector, so an answer that is still being read is waited for. */
export function createLookUp({ memory, notice }: Pick<FindDependencies, 'memory' | 'notice'>): LookUp {
  return async (scopes, vector) => {
    const found = findIn(scopes, vector, memory)
    return found.result === 'unknown' && (await notice.settled(scopes)) ? findIn(scopes, vector, memory) : found
  }
}

function findIn(scopes: readonly string[], vector: readonly number[], memory: QuestionMemory): Lookup {
  const found = scopes.map(scope => memory.find(scope, vector))
  return found.find(({ result }) => result !== 'unknown') ?? { text: null, result: 'unknown' }
}
