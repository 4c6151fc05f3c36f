import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { readJsonLines } from './files.ts'
import type { GoldenFault } from './golden-findings.ts'
import { type GoldenQuery, refuseFaults } from './golden-set.ts'
import { goldenFiles, uniqueById } from './queries.ts'
import { queryRow } from './rows.ts'

/** The file of the questions that the documents of a set do not answer, beside its `queries.jsonl`. */
export const UNANSWERABLE = 'unanswerable.jsonl'

const unanswerableRow = queryRow.omit({ gold: true }).extend({ unanswerable: z.literal(true).optional() })

/**
 * The questions about the subject of a set that its documents do not answer; none without the file.
 * @throws StowageError `bad_request` with every row that cannot be read
 */
export async function readUnanswerable(path: string): Promise<GoldenQuery[]> {
  const { folder, queries } = goldenFiles(path)
  const file = join(folder, UNANSWERABLE)
  // A file of queries with another name has nothing to do with the folder that it stands in.
  if (basename(queries) !== 'queries.jsonl' || !existsSync(file)) return []
  const faults: GoldenFault[] = []
  const rows = await readJsonLines(file, UNANSWERABLE, unanswerableRow, faults)
  uniqueById(rows, ({ id }) => id, 'id', faults)
  refuseFaults(path, faults)
  return rows.map(({ row: { unanswerable: _, ...query } }) => ({ ...query, goldPassages: [] }))
}
