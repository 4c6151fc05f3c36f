import type { Candidate } from '../../../src/core/types.ts'
import { chunkMarkdown } from '../../../src/ingest/chunking/chunk-markdown.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import { expandNeighbours, propagateScores } from '../../../src/rank/reunify.ts'
import { scaleToBest } from '../../../src/rank/scale.ts'
import { candidate, countWords } from '../../support/candidates.ts'
import { type Random, wordsOf } from '../words.ts'

export interface InstanceSize {
  documents: number
  /** Most sections of a document. */
  sections: number
  /** About the most chunks of a section. */
  chunks: number
  /** About the tokens of a chunk. */
  chunkTokens: number
}

/**
 * Documents with sections of one chunk or more, cut as ingestion cuts them, but without overlap, because a relevance mass would count it twice.
 * Every chunk is a candidate. Values fall as reranked values do, and then neighbours and documents raise them as in the plan `measured`.
 * @returns best first, the best value 1
 */
export function instanceOf(random: Random, { documents, sections, chunks, chunkTokens }: InstanceSize): Candidate[] {
  const upTo = (most: number) => 1 + Math.floor(random() * most)
  const paragraph = () => wordsOf(random, Math.ceil(chunkTokens * (0.3 + 0.3 * random())))
  const sectionText = (_: unknown, at: number) =>
    [`## Section ${at}`, ...Array.from({ length: 2 * upTo(chunks) }, paragraph)].join('\n\n')
  const cut = Array.from({ length: documents }, (_, document) => {
    const [docId, title] = [`d${document}`, `Doc ${document}`]
    const text = Array.from({ length: upTo(sections) }, sectionText).join('\n\n')
    return chunkMarkdown({ text }, { targetTokens: chunkTokens, overlap: 0, count: countWords }).map(chunk => ({
      ...chunk,
      docId,
      docTitle: title,
      id: `${docId}/${chunk.orderIndex}`,
    }))
  })
  const ranked = cut.flat().map(chunk => candidate(chunk, random() ** 1.5))
  const { propagation, documentShare, expansion, scope } = NAMED_PLANS.measured.reunification
  const propagated = propagateScores(ranked, propagation, documentShare)
  return scaleToBest(expandNeighbours(propagated, [], [], expansion, scope).candidates)
}
