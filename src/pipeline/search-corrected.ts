import type { RetrievedList } from '../core/types.ts'
import { correctedQuestion, spellingCorrections } from '../text/terms/spelling.ts'
import type { TimedCaller } from './context-request.ts'
import { CORRECTION_SHARE } from './deadline.ts'
import type { Background } from './pacing/background.ts'
import { Pace, RANKING_GRACE_MS } from './pacing/pace.ts'
import { hitsOf } from './retrieval/fallback.ts'
import { type Retrieved, type RetrieveInput, retrieve } from './retrieve.ts'
import type { RunRecord } from './run-record.ts'
import type { PipelinePorts } from './services.ts'

/** What was retrieved, and the question that found it: as it was asked, or with its spelling corrected. */
export interface RetrievedForQuestion extends Retrieved {
  query: string
}

/**
 * Searches once more when words of the question are probably misspelt: by the corrected question, in the place of the first one.
 * When that search fails or is late, the first one stays.
 */
export async function searchCorrected(
  input: RetrieveInput & { background?: Background },
  found: Retrieved,
  ports: PipelinePorts,
  caller: TimedCaller,
  record: RunRecord,
): Promise<RetrievedForQuestion> {
  const asIs = { ...found, query: input.query }
  const { isWord } = ports
  if (!input.plan.retrieval.spelling) return asIs
  const deadline = caller.deadline.part(CORRECTION_SHARE)
  try {
    const { signal } = deadline
    const pace = new Pace(signal, { tenant: caller.tenant, ...(input.background && { background: input.background }) })
    const corrections = await pace.run(spellingCorrections(input.query, textsOf(found.lists), isWord), RANKING_GRACE_MS)
    if (corrections.length === 0 || signal.aborted) return asIs
    const query = correctedQuestion(input.query, corrections)
    const again = await record.stage(
      'spelling',
      hitsOf(found.lists),
      () => retrieve({ ...input, query }, ports, { ...caller, deadline }, record),
      ({ lists }) => ({ out: hitsOf(lists), changed: true }),
    )
    if (hitsOf(again.lists) === 0) return asIs
    record.corrections = corrections
    return { ...again, query }
  } catch (error) {
    if (caller.deadline.signal.aborted) throw error
    record.degrade('spelling_not_corrected', error instanceof Error ? error.message : String(error))
    return asIs
  } finally {
    deadline.dispose()
  }
}

/** The texts of the hits and the names of their documents and sections. */
function textsOf(lists: readonly RetrievedList[]): string[] {
  const chunks = new Map(
    lists.flatMap(({ hits }) => hits.map(({ chunk }) => [`${chunk.collection}/${chunk.id}`, chunk] as const)),
  )
  return [...chunks.values()].map(({ docTitle, sectionPath, text }) => `${docTitle}\n${sectionPath}\n${text}`)
}
