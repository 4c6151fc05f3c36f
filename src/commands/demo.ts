import type { Command } from 'commander'
import { DEMO_COLLECTION, DEMO_QUERIES, type DemoResult, runDemo } from '../demo/demo.ts'
import { demoText } from '../demo/render.ts'
import type { PackContext } from '../pipeline/services.ts'
import { printJson } from '../qdrant/json.ts'
import { numberOption } from './option-values.ts'

/** As `budget_tokens` of a request. */
const MAX_BUDGET = 10_000_000

/** A stowage on the embedded engine that holds the demo documents. */
export interface DemoEnvironment {
  packContext: PackContext
  /** Starts the server for `--serve` and resolves with its address. */
  listen(): Promise<string>
  /** Resolves at the first SIGINT or SIGTERM. */
  stopped(): Promise<void>
  close(): Promise<void>
}

export interface DemoCommandDependencies {
  open(onProgress: (line: string) => void): Promise<DemoEnvironment>
  out: NodeJS.WritableStream
  progress: NodeJS.WritableStream
}

interface DemoFlags {
  json?: boolean
  serve?: boolean
  budget: number
}

/** Adds `stowage demo`: packs contexts for a few questions about the shipped documents, on the embedded engine. */
export function addDemoCommand(program: Command, dependencies: DemoCommandDependencies): void {
  program
    .command('demo')
    .description('ingest the Isharoth documents into the embedded engine and show the contexts of a few questions')
    .option('--json', 'print one JSON document: {"results": [...]}')
    .option('--serve', 'start the server afterwards and print curl commands for it')
    .option('--budget <tokens>', 'token budget of a context', numberOption(0, MAX_BUDGET), 1200)
    .action((flags: DemoFlags) => demo(flags, dependencies))
}

async function demo(flags: DemoFlags, { open, out, progress }: DemoCommandDependencies): Promise<void> {
  const environment = await open(line => progress.write(`${line}\n`))
  try {
    const show = flags.json ? () => {} : (result: DemoResult) => out.write(`${demoText(result)}\n`)
    const results = await runDemo(environment.packContext, flags.budget, show)
    if (flags.json) out.write(`${printJson({ results })}\n`)
    if (!flags.serve) return
    // With --json, stdout holds the JSON document only.
    const lines = flags.json ? progress : out
    lines.write(curlLines(await environment.listen()))
    await environment.stopped()
  } finally {
    await environment.close()
  }
}

function curlLines(url: string): string {
  const [query] = DEMO_QUERIES
  const body = JSON.stringify({ query, collection: DEMO_COLLECTION, budget_tokens: 800, trace: true })
  return `
stowage listens on ${url}. Try:
  curl -s ${url}/v1/context -H 'content-type: application/json' -d '${body}'
  curl -s ${url}/collections/${DEMO_COLLECTION}
  curl -s ${url}/readyz
Stop with Ctrl-C.
`
}
