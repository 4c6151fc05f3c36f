import { z } from 'zod'
import { StowageError } from '../../src/core/errors.ts'
import { readJsonLines } from '../../src/evaluation/golden-set/files.ts'
import type { GoldenFault } from '../../src/evaluation/golden-set/golden-findings.ts'

const rowSchema = z.object({
  id: z.string().min(1),
  query: z.string().trim().min(1),
  /** Grade of every judged item above 0, retrieved or not: what the ideal order is made of. */
  judged_relevant: z.record(z.string(), z.number()),
  /** First stage, best first. */
  passages: z.array(z.object({ text: z.string(), score: z.number(), grade: z.number() })).min(1),
})

/** One query with its first stage. */
export type CandidateRow = z.infer<typeof rowSchema>

/** Reads a candidates file: one query a line with the first stage's passages, their scores and grades. Throws `bad_request` that shows the first faults. */
export async function readCandidates(path: string): Promise<CandidateRow[]> {
  const found: GoldenFault[] = []
  const rows = await readJsonLines(path, path, rowSchema, found).catch((error: NodeJS.ErrnoException) => {
    throw new StowageError('bad_request', `--candidates ${path}: cannot be read (${error.code ?? error.message})`)
  })
  const faults = found.map(({ place, text }) => `${place}: ${text}`)
  if (rows.length === 0) faults.push(`${path}: holds no queries`)
  if (faults.length > 0) throw new StowageError('bad_request', `--candidates: ${faults.slice(0, 10).join('\n  ')}`)
  return rows.map(({ row }) => row)
}
