import { messageOf } from '../../core/errors.ts'
import type { RetrievedHit, RetrievedList } from '../../core/types.ts'
import type { TimedCaller } from '../caller.ts'
import { NAMED_DOCUMENTS_SHARE } from '../deadline.ts'
import type { Background } from '../pacing/background.ts'
import { Pace, RANKING_GRACE_MS } from '../pacing/pace.ts'
import type { Plan } from '../plan/plan.ts'
import type { RunRecord } from '../run-record.ts'
import { type CollectionAnswer, hitsOf, modeOf } from './fallback.ts'
import { namedDocuments } from './named-documents.ts'
import { foundBy, type Retrieved } from './retrieve.ts'

interface FoundForQuestion {
  /** That found it. */
  query: string
  plan: Plan
  found: Retrieved
  background?: Background
}

/**
 * Searches once more in the documents that the question names, and adds what it finds to the lists. The chunks of a document often do not say what it is
 * called, so the passage that answers can be far behind those of other documents on the same subject. When the search fails or is late, what was found stays.
 */
export async function searchNamedDocuments(
  { query, plan, found, background }: FoundForQuestion,
  { tenant, deadline: whole }: TimedCaller,
  record: RunRecord,
): Promise<Retrieved> {
  const most = plan.retrieval.namedDocuments
  if (most === null) return found
  const deadline = whole.part(NAMED_DOCUMENTS_SHARE)
  const { signal } = deadline
  try {
    const named = await namedIn(found.answers, { query, most }, new Pace(signal, { tenant, background }))
    if (named.every(documents => documents.length === 0)) return found
    const before = hitsOf(found.lists)
    return await record.stage(
      'named_documents',
      before,
      () => extend(found, named, signal, record),
      ({ lists }) => ({ out: hitsOf(lists), changed: hitsOf(lists) > before }),
    )
  } catch (error) {
    giveUp(error, record)
    return found
  } finally {
    deadline.dispose()
  }
}

/**
 * The documents that the question names among those of each answer. Collections of `stowage ingest` have none: their vectors and keywords know what a document
 * is called, and nothing is gained.
 */
async function namedIn(
  answers: readonly CollectionAnswer[],
  { query, most }: { query: string; most: number },
  pace: Pace,
): Promise<string[][]> {
  const named: string[][] = []
  for (const { lists, isForeign = false } of answers) {
    const chunks = isForeign ? lists.flatMap(({ hits }) => hits.map(({ chunk }) => chunk)) : []
    named.push(await pace.run(namedDocuments(query, chunks, most), RANKING_GRACE_MS))
  }
  return named
}

/** Searches in the named documents of each answer, and adds what is found to it. */
async function extend(
  found: Retrieved,
  named: readonly string[][],
  signal: AbortSignal,
  record: RunRecord,
): Promise<Retrieved> {
  const searches = found.answers.map(async (answer, at) => {
    const documents = named[at] ?? []
    const more = await searchIn(documents, answer, found, signal).catch(error => {
      giveUp(error, record)
      return []
    })
    return { answer, documents: hitsOf(more) > 0 ? documents : [], more }
  })
  const done = await Promise.all(searches)
  record.namedDocuments = done.flatMap(({ answer: { collection }, documents }) =>
    documents.map(document => ({ collection, doc_id: document })),
  )
  const answers = done.map(({ answer, more }) => ({ ...answer, lists: answer.lists.map(list => withMore(list, more)) }))
  return { ...found, ...foundBy(answers, found.mode.asked) }
}

async function searchIn(
  documents: readonly string[],
  { collection, lists }: CollectionAnswer,
  found: Retrieved,
  signal: AbortSignal,
): Promise<RetrievedList[]> {
  const mode = modeOf(lists)
  if (documents.length === 0 || mode === null) return []
  return (await found.searchWithin({ collection, mode, documents }, signal)).lists
}

function giveUp(error: unknown, record: RunRecord): void {
  record.degrade('named_documents_not_searched', messageOf(error))
}

/** A list with the hits of the same source that are not in it, by score. */
function withMore(list: RetrievedList, more: readonly RetrievedList[]): RetrievedList {
  const known = new Set(list.hits.map(({ chunk }) => chunk.id))
  const isNew = ({ chunk }: RetrievedHit) => !known.has(chunk.id)
  const added = more.filter(({ source }) => source === list.source).flatMap(({ hits }) => hits.filter(isNew))
  return added.length === 0 ? list : { ...list, hits: [...list.hits, ...added].sort((a, b) => b.score - a.score) }
}
