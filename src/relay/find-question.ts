import type { LookupResult } from '../observe/metrics/relay.ts'
import type { QuestionMemory } from './memory/memory.ts'
import type { Lookup } from './memory/scope.ts'
import type { QuestionNotice } from './notice.ts'
import { type Asker, searchedScopes } from './scopes.ts'

interface FindDependencies {
  memory: QuestionMemory
  notice: Pick<QuestionNotice, 'settled'>
  report(event: { result: LookupResult }): void
  /** Looks where else vectors are remembered, when one is not known here. Default: nowhere. */
  lookElsewhere?: LookUp
}

/** Looks for the question of a vector in some scopes. */
export type LookUp = (scopes: readonly string[], vector: readonly number[]) => Promise<Lookup>

/** Finds the question of a vector that somebody searches with; null when it is not known. Never rejects. */
export type FindQuestion = (asker: Asker, vector: readonly number[]) => Promise<string | null>

export function createFindQuestion({ report, lookElsewhere, ...here }: FindDependencies): FindQuestion {
  const lookHere = createLookUp(here)
  return async (asker, vector) => {
    const scopes = searchedScopes(asker)
    let found = await lookHere(scopes, vector)
    if (found.result === 'unknown' && lookElsewhere !== undefined) found = await lookElsewhere(scopes, vector)
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
