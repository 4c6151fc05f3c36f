import { messageOf } from '../../core/errors.ts'
import type { RetrievedList } from '../../core/types.ts'
import { documentName } from '../../rank/searched-text.ts'
import { type Correction, correctedQuestion, spellingCorrections } from '../../text/terms/spelling.ts'
import type { TimedCaller } from '../caller.ts'
import { CORRECTION_SHARE } from '../deadline.ts'
import type { Background } from '../pacing/background.ts'
import { Pace, RANKING_GRACE_MS } from '../pacing/pace.ts'
import type { Plan } from '../plan/plan.ts'
import type { RunRecord } from '../run-record.ts'
import type { PipelinePorts } from '../services.ts'
import { hitsOf } from './fallback.ts'
import { type Retrieved, retrieve, type WeightedSearch } from './retrieve.ts'

interface FoundForQuestion {
  query: string
  lists: readonly RetrievedList[]
  plan: Plan
  tenant: string | null
  signal: AbortSignal
  background?: Background
}

/** The words of a question that are probably misspelt, by what was found for it. It never rejects: without time, none is corrected. */
export async function correctionsBy(
  { query, lists, plan, tenant, signal, background }: FoundForQuestion,
  { isWord }: Pick<PipelinePorts, 'isWord'>,
  record: RunRecord,
): Promise<Correction[]> {
  if (!plan.retrieval.spelling) return []
  try {
    const pace = new Pace(signal, { tenant, background })
    return await pace.run(spellingCorrections(query, textsOf(lists), isWord), RANKING_GRACE_MS)
  } catch (error) {
    record.degrade('spelling_not_corrected', messageOf(error))
    return []
  }
}

/**
 * Searches once more when words of the question are probably misspelt: by the corrected question, whose lists take the place of
 * those that were found. When that search fails, is late, or has less than the first one, what was found stays.
 * @returns the lists, and the question that found them
 */
export async function searchCorrected(
  input: WeightedSearch,
  found: Retrieved,
  ports: PipelinePorts,
  caller: TimedCaller,
  record: RunRecord,
): Promise<Retrieved & { query: string }> {
  const asAsked = { ...found, query: input.query }
  const deadline = caller.deadline.part(CORRECTION_SHARE)
  try {
    const { signal } = deadline
    const corrections = await correctionsBy({ ...input, ...found, tenant: caller.tenant, signal }, ports, record)
    if (corrections.length === 0) return asAsked
    const query = correctedQuestion(input.query, corrections)
    const second = record.branchAt(record.elapsedMs)
    const again = await record.stage(
      'spelling',
      hitsOf(found.lists),
      () => retrieve({ ...input, query }, ports, { ...caller, deadline }, second),
      ({ lists }) => ({ out: hitsOf(lists), changed: true }),
    )
    const [fault] = second.degraded.slice(record.degraded.length)
    if (fault !== undefined) throw new Error(`${fault.code}: ${fault.detail}`)
    if (hitsOf(again.lists) === 0) return asAsked
    record.corrections = corrections
    return { ...again, query }
  } catch (error) {
    record.degrade('spelling_not_corrected', messageOf(error))
    return asAsked
  } finally {
    deadline.dispose()
  }
}

/** The texts of the hits, with the names of their documents and sections. */
function textsOf(lists: readonly RetrievedList[]): string[] {
  const hits = lists.flatMap(list => list.hits)
  const chunks = new Map(hits.map(({ chunk }) => [`${chunk.collection}/${chunk.id}`, chunk]))
  return [...chunks.values()].map(chunk => `${documentName(chunk)}\n${chunk.sectionPath}\n${chunk.text}`)
}
