import { badRequest } from '../../../core/errors.ts'
import { type GoldenSet, spread } from '../../golden-set/golden-set.ts'
import { GoldFinder } from '../../metrics/common-runs.ts'
import { plainText } from '../../metrics/plain-text.ts'
import type { ServerAnswer } from './answer.ts'
import type { Question } from './client.ts'

/** Gold passages that are looked for. */
const SAMPLE = 8
/** A passage is asked for with its first words. */
const WORDS = 60
/** Room for the passage beside others that begin with the same words. */
const BUDGET_TOKENS = 2_000
const FOUND_SHARE = 0.5

/**
 * Asks for a sample of gold passages with their own words, so that a server without the corpus is noticed before its recall is measured.
 * A passage that stands in the corpus is nearly always found in this way.
 * @throws StowageError `bad_request` when less than half of them are found
 */
export async function checkCorpus(
  set: Pick<GoldenSet, 'name' | 'queries'>,
  collection: string,
  ask: (question: Question) => Promise<{ answer: ServerAnswer }>,
): Promise<void> {
  const probes = spread(set.queries, SAMPLE).map(({ goldPassages: [gold], tenant, filter }) => ({
    query: firstWords(gold?.text ?? ''),
    question: { collection, tenant, filter, budgetTokens: BUDGET_TOKENS },
  }))
  let found = 0
  for (const { query, question } of probes) {
    const { answer } = await ask({ ...question, query })
    const [words] = new GoldFinder([query]).in(
      plainText(answer.context, answer.trace?.plan?.format ?? 'markdown'),
    ).golds
    if (words && words.found >= words.total * FOUND_SHARE) found++
  }
  if (found >= probes.length * FOUND_SHARE) return
  throw badRequest(
    `the collection ${collection} holds ${found} of ${probes.length} gold passages of the set ${set.name} that were looked for; ` +
      'ingest the documents of the set there first, or name another collection with --collection',
  )
}

function firstWords(text: string): string {
  return text.trim().split(/\s+/u).slice(0, WORDS).join(' ').slice(0, 2_000)
}
