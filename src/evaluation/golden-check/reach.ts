import { StowageError } from '../../core/errors.ts'
import type { JsonObject, PointId } from '../../core/types.ts'
import { narrowedFilter } from '../../qdrant/condition.ts'
import type { CollectionReader } from '../golden-set/collection-reader.ts'
import type { ExaminedSet } from '../golden-set/golden-set.ts'
import type { GoldRow } from '../golden-set/rows.ts'
import { type Finding, finding, type PlacedQuery, placedQueries } from './finding.ts'

/** The condition that every point meets which a tenant reads; null for none. */
type ConditionOf = (tenant: string) => JsonObject | null

/** Queries that their own filter or tenant keeps from any document, or from their gold passages, and filters that the server refuses. */
export async function checkReach(
  examined: ExaminedSet,
  reader: CollectionReader,
  conditionOf: ConditionOf,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [at, placed] of placedQueries(examined).entries()) {
    const { tenant, filter } = placed.query
    const narrowed = narrowedFilter(tenant === null ? null : conditionOf(tenant), filter)
    if (narrowed === null) continue
    findings.push(
      ...(await reachOf(placed, examined.rows[at]?.row.gold ?? [], narrowed, reader).catch((error: unknown) => {
        if (filter === null || !(error instanceof StowageError) || error.code !== 'bad_request') throw error
        return [finding(placed, 'unreadable', `filter: ${error.message}`)]
      })),
    )
  }
  return findings
}

async function reachOf(
  placed: PlacedQuery,
  golds: readonly GoldRow[],
  narrowed: JsonObject,
  reader: CollectionReader,
): Promise<Finding[]> {
  const { tenant, filter } = placed.query
  const asked = `${tenant === null ? '' : `tenant ${JSON.stringify(tenant)}, `}filter ${filter === null ? 'none' : 'given'}`
  if ((await reader.passing(narrowed, 1)).size === 0)
    return [finding(placed, 'nothing_passes', `${asked}: no document passes`)]
  const findings: Finding[] = []
  for (const [index, gold] of golds.entries()) {
    const ids = gold.point_id ?? (gold.doc_id === undefined ? [] : await pointsOf(reader, gold.doc_id))
    if (ids.length === 0) continue
    const among: JsonObject = { must: [narrowed, { has_id: [...ids] }] }
    if ((await reader.passing(among, 1)).size === 0)
      findings.push(finding(placed, 'gold_filtered_out', `${asked}: gold.${index} does not pass`))
  }
  return findings
}

async function pointsOf(reader: CollectionReader, docId: string): Promise<PointId[]> {
  const chunks = (await reader.documents([docId])).get(docId) ?? []
  return chunks.map(({ id }) => id)
}
