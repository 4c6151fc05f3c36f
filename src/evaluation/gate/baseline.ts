import { z } from 'zod'
import { badRequest, messageOf, type StowageError } from '../../core/errors.ts'
import { describeIssues } from '../../core/schema-faults.ts'
import { planValues } from '../arms/arm.ts'
import type { MeasureName } from '../metrics/measures.ts'
import type { ReplayReport } from '../replay/results.ts'

/** The measures that the gate watches, each at every budget. They see retrieval, ranking, deduplication and packing. */
export const GATED = ['recall', 'covered', 'ndcg_at_10', 'redundancy'] as const satisfies readonly MeasureName[]

/** Decimals that a baseline keeps. Figures of now are rounded in the same way before they are compared. */
const DECIMALS = 4

/** What figures depend on beside the code and the plan. A gate compares only figures of equal setups. */
const setupSchema = z.strictObject({
  sets: z.array(z.strictObject({ name: z.string().min(1), path: z.string().min(1), hash: z.string() })).min(1),
  arm: z.string().min(1),
  budgets: z.array(z.int().min(1)).min(1),
  chunkTokens: z.int().min(1),
  embedder: z.string().nullable(),
  reranker: z.string().nullable(),
})
export type GateSetup = z.infer<typeof setupSchema>

const figures = z.array(z.array(z.number().nullable()).length(GATED.length))

/** The file of `--update-baseline`. */
const baselineSchema = z.strictObject({
  version: z.literal(1),
  ...setupSchema.shape,
  measures: z.tuple(GATED.map(name => z.literal(name)) as [z.ZodLiteral<(typeof GATED)[number]>]),
  /** Share of the runs with a degradation. */
  degradedShare: z.number(),
  /** The values of the plan, to name those that have changed since. */
  plan: z.record(z.string(), z.unknown()),
  /** By set and id: for each budget the gated measures. */
  queries: z.record(z.string(), z.record(z.string(), figures)),
})
export type Baseline = Omit<z.infer<typeof baselineSchema>, 'measures'>

/** What a baseline keeps of a replay of one arm. @param paths of the sets, as they are named on the command line */
export function baselineOf(report: ReplayReport, paths: readonly string[]): Baseline {
  const { sets, budgets, chunkTokens, reranker } = report
  const [arm] = report.arms
  const runs = sets.flatMap(({ queries }) => queries.flatMap(query => Object.values(query.arms[arm?.name ?? ''] ?? {})))
  return {
    version: 1,
    sets: sets.map(({ name, hash }, at) => ({ name, path: paths[at] ?? name, hash })),
    arm: arm?.name ?? '',
    budgets,
    chunkTokens,
    embedder: sets[0]?.embedder ?? null,
    reranker,
    degradedShare: rounded(runs.filter(({ degraded }) => degraded.length > 0).length / runs.length),
    plan: arm?.plan ? Object.fromEntries(planValues(arm.plan)) : {},
    queries: Object.fromEntries(
      sets.map(({ name, queries }) => [
        name,
        Object.fromEntries(
          queries.map(({ id, arms }) => [
            id,
            budgets.map(budget =>
              GATED.map(measure => {
                const value = arms[arm?.name ?? '']?.[budget]?.measures[measure] ?? null
                return value === null ? null : rounded(value)
              }),
            ),
          ]),
        ),
      ]),
    ),
  }
}

/** Prints a baseline with one line for each query, so that a difference is readable. */
export function printBaseline({ queries, version, ...rest }: Baseline): string {
  const lines = Object.entries({ version, measures: GATED, ...rest }).map(([key, value]) => `  ${line(key, value)}`)
  const sets = Object.entries(queries).map(([set, ofSet]) => {
    const rows = Object.entries(ofSet).map(([id, value]) => `      ${line(id, value)}`)
    return `    ${JSON.stringify(set)}: {\n${rows.join(',\n')}\n    }`
  })
  return `{\n${[...lines, `  "queries": {\n${sets.join(',\n')}\n  }`].join(',\n')}\n}\n`
}

/** Reads a baseline. @throws StowageError `bad_request` with the place of each fault */
export function parseBaseline(text: string, file: string): Baseline {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw unreadable(file, `is not JSON: ${messageOf(error)}`)
  }
  const parsed = baselineSchema.safeParse(value)
  if (parsed.success) return parsed.data
  const faults = describeIssues(parsed.error, '', value).slice(0, 5)
  throw unreadable(file, faults.join('; '))
}

/** An update takes sets, arm and budgets from the file, so it cannot replace a file that cannot be read. */
function unreadable(file: string, faults: string): StowageError {
  const advice = `remove it, and make a new one with: npx stowage replay SET --update-baseline ${file}`
  return badRequest(`baseline ${file}: ${faults}; ${advice}`)
}

export const HOW_TO_UPDATE = (file: string): string =>
  `Make a new one with: npx stowage replay --update-baseline ${file}`

function line(key: string, value: unknown): string {
  return `${JSON.stringify(key)}: ${JSON.stringify(value)}`
}

function rounded(value: number): number {
  return Number(value.toFixed(DECIMALS))
}
