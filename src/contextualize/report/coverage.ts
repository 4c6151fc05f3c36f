import { isParent } from '../../qdrant/payload/read-chunk.ts'
import { hasContext, hasText } from '../documents/survey.ts'
import type { LiveCollection, LivePoint } from '../live-collection.ts'

/** What is stored in a collection. */
export interface Coverage {
  points: number
  withoutText: number
  /** Points with a context of their present text, by any writer. */
  withContext: number
  /** Points whose text has changed since their context was written. */
  outdated: number
  /** Contexts by the name of their model. */
  byModel: Record<string, number>
  /** Contexts by their quality: the lower end of each fifth, such as '0.8'. */
  byQuality: Record<string, number>
  /** Tokens of all contexts. */
  tokens: number
}

/** Counts the contexts of a collection in one walk over its payloads. */
export async function coverageOf(collection: LiveCollection): Promise<Coverage> {
  const coverage: Coverage = {
    ...{ points: 0, withoutText: 0, withContext: 0, outdated: 0, tokens: 0 },
    ...{ byModel: {}, byQuality: {} },
  }
  for await (const page of collection.pages()) for (const point of page) count(point, coverage)
  return coverage
}

function count(point: LivePoint, coverage: Coverage): void {
  const {
    context_version: version,
    context_model: model,
    context_quality: quality,
    context_tokens: tokens,
  } = point.payload
  if (isParent(point.payload)) return
  coverage.points += 1
  if (!hasText(point)) coverage.withoutText += 1
  if (typeof version !== 'string') return
  if (hasContext(point)) coverage.withContext += 1
  else coverage.outdated += 1
  add(coverage.byModel, String(model))
  if (typeof quality === 'number') add(coverage.byQuality, (Math.min(4, Math.floor(quality * 5)) / 5).toFixed(1))
  if (typeof tokens === 'number') coverage.tokens += tokens
}

function add(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1
}
