import type { LookupResult } from '../observe/metrics/relay.ts'
import type { QuestionMemory } from './memory/memory.ts'
import type { Lookup } from './memory/scope.ts'
import type { QuestionNotice } from './notice.ts'
import { type Asker, searchedScopes } from './scopes.ts'

interface FindDependencies {
  memory: QuestionMemory
  notice: Pick<QuestionNotice, 'settled'>
  report(event: { result: LookupResult }): void
}

/** Finds the question of a vector that somebody searches with; null when it is not known. Never rejects. */
export type FindQuestion = (asker: Asker, vector: readonly number[]) => Promise<string | null>

/** A client may search as soon as it has its vector, so an answer that is still being read is waited for. */
export function createFindQuestion({ memory, notice, report }: FindDependencies): FindQuestion {
  return async (asker, vector) => {
    const scopes = searchedScopes(asker)
    let found = lookUp(scopes, vector, memory)
    if (found.result === 'unknown' && (await notice.settled(scopes))) found = lookUp(scopes, vector, memory)
    report({ result: found.result })
    return found.text
  }
}

function lookUp(scopes: readonly string[], vector: readonly number[], memory: QuestionMemory): Lookup {
  const found = scopes.map(scope => memory.find(scope, vector))
  return found.find(({ result }) => result !== 'unknown') ?? { text: null, result: 'unknown' }
}
