import type { Command } from 'commander'
import { DEMO_COLLECTION, DEMO_QUERIES, type DemoResult, type DemoWorld, runDemo } from '../demo/demo.ts'
import { fullText } from '../demo/full-text.ts'
import { closing, type Screen, sideBySide } from '../demo/side-by-side.ts'
import { printJson } from '../qdrant/json.ts'
import { numberOption } from './option-values.ts'

/** As `budget_tokens` of a request. */
const MAX_BUDGET = 10_000_000
const DEFAULT_BUDGET = 800

/** A stowage on the embedded engine that holds the demo documents. */
interface DemoEnvironment {
  world: DemoWorld
  /** Starts the server for `--serve` and resolves with its address. */
  listen(): Promise<string>
  /** Resolves at the first SIGINT or SIGTERM. */
  stopped(): Promise<void>
  close(): Promise<void>
}

export interface DemoCommandDependencies {
  open(onProgress: (line: string) => void): Promise<DemoEnvironment>
  out: DemoOutput
  progress: NodeJS.WritableStream
}

/** A terminal has a width, and knows its colours. */
type DemoOutput = NodeJS.WritableStream & { columns?: number; hasColors?(): boolean }

interface DemoFlags {
  json?: boolean
  full?: boolean
  serve?: boolean
  budget: number
}

/** Width of an output that is no terminal, and the widest and narrowest that is used. */
const COLUMNS = { default: 100, least: 60, most: 140 }

/** Adds `stowage demo`: packs contexts for a few questions about the shipped documents, beside plain top-k. */
export function addDemoCommand(program: Command, dependencies: DemoCommandDependencies): void {
  program
    .command('demo')
    .description(
      'ingest the Isharoth documents into the embedded engine and compare stowage with plain top-k on a few questions',
    )
    .option('--json', 'print one JSON document: {"results": [...]}')
    .option('--full', 'show the contexts, the dropped candidates with their reasons, and the budgets')
    .option('--serve', 'start the server afterwards and print curl commands for it')
    .option('--budget <tokens>', 'token budget of a context', numberOption(0, MAX_BUDGET), DEFAULT_BUDGET)
    .action((flags: DemoFlags) => demo(flags, dependencies))
}

async function demo(flags: DemoFlags, { open, out, progress }: DemoCommandDependencies): Promise<void> {
  const environment = await open(line => progress.write(`${line}\n`))
  try {
    const screen = screenOf(out)
    const textOf = flags.full ? fullText : (result: DemoResult) => sideBySide(result, screen)
    const show = flags.json ? () => {} : (result: DemoResult) => out.write(`${textOf(result)}\n`)
    const results = await runDemo(environment.world, flags.budget, show)
    out.write(flags.json ? `${printJson({ results })}\n` : closing(results, screen))
    if (!flags.serve) return
    // With --json, stdout holds the JSON document only.
    const lines = flags.json ? progress : out
    lines.write(curlLines(await environment.listen()))
    await environment.stopped()
  } finally {
    await environment.close()
  }
}

/** Node knows `NO_COLOR` (no-color.org), and that other outputs have no colour. */
function screenOf(out: DemoOutput): Screen {
  const columns = out.columns || COLUMNS.default
  return {
    columns: Math.min(COLUMNS.most, Math.max(COLUMNS.least, columns)),
    colour: out.hasColors?.() ?? false,
  }
}

function curlLines(url: string): string {
  const [query] = DEMO_QUERIES
  const body = JSON.stringify({ query, collection: DEMO_COLLECTION, budget_tokens: DEFAULT_BUDGET, trace: true })
  return `
stowage listens on ${url}. Look at it in a browser:
  ${url}/v1/ui#${new URLSearchParams({ collection: DEMO_COLLECTION, query, budget: `${DEFAULT_BUDGET}` })}
Or try:
  curl -s ${url}/v1/context -H 'content-type: application/json' -d '${body}'
  curl -s ${url}/collections/${DEMO_COLLECTION}
  curl -s ${url}/readyz
Stop with Ctrl-C.
`
}
