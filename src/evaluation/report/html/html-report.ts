import type { TraceCandidate } from '../../../pipeline/trace/schema.ts'
import { escapedHtml, type PageFiles, policyHash, readPage } from '../../../web/page-files.ts'
import { GoldFinder } from '../../metrics/common-runs.ts'
import type { QueryDetails, QueryResult } from '../../replay/results.ts'
import { candidatesPart } from './data/candidates.ts'
import { contextsPart } from './data/contexts.ts'
import { type OverviewInput, overviewOf } from './data/overview.ts'
import { PointTable } from './data/points.ts'
import { waterfallsOf } from './data/queries.ts'
import { encodePart, fittingParts, type QueryParts } from './parts.ts'
import type { ReportData } from './report-data.ts'

export interface HtmlReportInput extends OverviewInput {
  /** In any order. Queries without details have figures only. */
  details: AsyncIterable<QueryDetails> | Iterable<QueryDetails>
  /** Most bytes of the file. Page, figures and licences are never left out. */
  mostBytes?: number
}

const PAGE = new URL('./page', import.meta.url)
const MOST_BYTES = 2_900_000
/** Lengths of snippets. The longest is taken whose table fits into this share of the room for details. */
const SNIPPET_LENGTHS = [280, 140, 70, 0]
const SNIPPET_SHARE = 0.25
/** What the document adds around its parts, and the sentences about what was left out. */
const AROUND_BYTES = 4_000

/**
 * Makes the report of a replay as one HTML file that needs nothing beside it. Details that do not fit are left out, and the page says so.
 * @throws RangeError when `against` or `detailBudget` is not in the report
 */
export async function htmlReport(input: HtmlReportInput): Promise<string> {
  const page = await readPage(PAGE)
  const data = overviewOf(input)
  data.facts.licences = [...page.licences]
  const points = new PointTable()
  const parts = await readDetails(input, data, points)

  const needed = page.script.length + page.styles.length + (await encodePart(data)).length + AROUND_BYTES
  const room = (input.mostBytes ?? MOST_BYTES) - needed
  const table = await fittingTable(points, room * SNIPPET_SHARE)
  const { kept, leftOut } = fittingParts(parts, interestOf(input, data.detailArms), room - table.encoded.length)
  data.leftOut = [...otherArmsSentence(data), ...leftOutSentences(leftOut, parts.length, table.length)]
  const numbered = numberParts(data, kept)
  return htmlDocument(data.facts.title, page, { main: await encodePart(data), points: table.encoded, parts: numbered })
}

/** Adds the waterfalls to the queries of `data`, and resolves with what each query has for the file, in the order of `data`. */
async function readDetails(
  { report, details }: HtmlReportInput,
  data: ReportData,
  points: PointTable,
): Promise<QueryParts[]> {
  const places = new Map(data.queries.map(({ set, id }, place) => [`${data.sets[set]?.name}\n${id}`, place]))
  const parts: QueryParts[] = data.queries.map(() => ({ contexts: null, candidates: null }))
  for await (const query of details) {
    const place = places.get(`${query.set}\n${query.id}`)
    const row = place === undefined ? undefined : data.queries[place]
    if (place === undefined || !row) continue
    row.waterfall = waterfallsOf(query, report)
    const finder = new GoldFinder(query.golds)
    const runs = report.arms.map(({ name, plan }, arm) => {
      const run = data.detailArms.includes(arm) ? query.arms[name]?.[data.detailBudget] : undefined
      return run ? { ...run, format: run.trace?.plan.format ?? plan?.format ?? 'markdown' } : null
    })
    const traces = runs.map(run => run?.trace ?? null)
    const textOf = ({ id }: TraceCandidate) => query.texts[String(id)] ?? null
    const placeOf = (candidate: TraceCandidate) => points.add(query.set, candidate, textOf(candidate))
    parts[place] = {
      contexts: await encodePart(contextsPart(runs, query.golds, finder)),
      candidates: traces.some(trace => trace !== null)
        ? await encodePart(candidatesPart(traces, placeOf, candidate => finder.in(textOf(candidate) ?? '').inside > 0))
        : null,
    }
  }
  return parts
}

async function fittingTable(points: PointTable, bytes: number): Promise<{ encoded: string; length: number }> {
  for (const length of SNIPPET_LENGTHS) {
    const encoded = await encodePart(points.cut(length))
    if (encoded.length <= bytes) return { encoded, length }
  }
  return { encoded: await encodePart(points.cut(0)), length: 0 }
}

/** By query: the largest difference of answer recall between an arm with details and the reference arm, at any budget. */
function interestOf({ report, against }: HtmlReportInput, detailArms: readonly number[]): number[] {
  const arms = report.arms.filter((_, arm) => detailArms.includes(arm))
  const recallOf = ({ arms }: QueryResult, arm: string, budget: number) => arms[arm]?.[budget]?.measures.recall ?? 0
  return report.sets.flatMap(({ queries }) =>
    queries.map(query => {
      const differences = arms.flatMap(({ name }) =>
        report.budgets.map(budget => Math.abs(recallOf(query, name, budget) - recallOf(query, against, budget))),
      )
      return Math.max(0, ...differences)
    }),
  )
}

function otherArmsSentence({ arms, detailArms }: ReportData): string[] {
  if (detailArms.length === arms.length) return []
  const names = detailArms.map(arm => arms[arm]?.name).join(', ')
  return [`Contexts and candidates are kept for ${detailArms.length} of ${arms.length} arms: ${names}.`]
}

function leftOutSentences(
  { contexts, candidates }: { contexts: number; candidates: number },
  queries: number,
  snippetLength: number,
): string[] {
  const order = 'those with the smallest differences between arms were left out first'
  return [
    ...(snippetLength === SNIPPET_LENGTHS[0] ? [] : [`Previews of candidates are cut to ${snippetLength} characters.`]),
    ...(contexts === 0 ? [] : [`The contexts of ${contexts} of ${queries} queries are not in this file; ${order}.`]),
    ...(candidates === 0
      ? []
      : [`The candidates of ${candidates} of ${queries} queries are not in this file; ${order}.`]),
  ]
}

/** Tells each query the numbers of its parts, and returns the parts in their order. */
function numberParts(data: ReportData, kept: readonly QueryParts[]): string[] {
  const parts: string[] = []
  const numberOf = (part: string | null | undefined) => (typeof part === 'string' ? parts.push(part) - 1 : null)
  for (const [place, row] of data.queries.entries()) {
    row.contexts = numberOf(kept[place]?.contexts)
    row.candidates = numberOf(kept[place]?.candidates)
  }
  return parts
}

/** Data of the page, each already encoded by `encodePart`. */
interface EncodedData {
  main: string
  points: string
  parts: readonly string[]
}

/**
 * Writes the file. Texts of documents and questions are inside base64 only, so none of them can end an element, and the policy of the
 * page allows its own script and nothing from a network. Styles are free, because the plots bring their own.
 */
function htmlDocument(title: string, { script, styles }: PageFiles, { main, points, parts }: EncodedData): string {
  const policy = [
    "default-src 'none'",
    `script-src ${policyHash(script)}`,
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapedHtml(title)}</title>
<style>${styles}</style>
</head>
<body>
<div id="page"><p class="loading">The report is being read …</p></div>
<noscript><p class="loading">This report needs JavaScript. It loads nothing from a network.</p></noscript>
<script type="text/plain" id="data-main">${main}</script>
<script type="text/plain" id="data-points">${points}</script>
<script type="text/plain" id="data-parts">${parts.join('\n')}</script>
<script>${script}</script>
</body>
</html>
`
}
