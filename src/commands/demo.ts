import type { Command } from 'commander'
import { DEMO_COLLECTION, type DemoResult, runDemo } from '../demo/demo.ts'
import { demoText } from '../demo/render.ts'
import type { PackContext } from '../pipeline/services.ts'
import { printJson } from '../qdrant/json.ts'
import { numberOption } from './number-option.ts'

/** As `budget_tokens` of a request. */
const MAX_BUDGET = 10_000_000

/** A stowage on the embedded engine with the demo documents in it. */
export interface DemoWorld {
  packContext: PackContext
  /** Listens and resolves with the address, for `--serve`. */
  listen(): Promise<string>
  /** Resolves with the first signal to stop. */
  stopped(): Promise<void>
  close(): Promise<void>
}

export interface DemoCommandDependencies {
  open(onProgress: (line: string) => void): Promise<DemoWorld>
  out: NodeJS.WritableStream
  progress: NodeJS.WritableStream
}

interface DemoFlags {
  json?: boolean
  serve?: boolean
  budget: number
}

/** Adds `stowage demo`: documents of a small world become packed, explained contexts, on the embedded engine. */
export function addDemoCommand(program: Command, dependencies: DemoCommandDependencies): void {
  program
    .command('demo')
    .description('ingest the Isharoth documents into the embedded engine and show what is packed for a few questions')
    .option('--json', 'print one JSON document instead: {"results": [...]}')
    .option('--serve', 'keep the server up afterwards, with curl lines to try')
    .option('--budget <tokens>', 'token budget', numberOption(0, MAX_BUDGET), 1200)
    .action((flags: DemoFlags) => demo(flags, dependencies))
}

async function demo(flags: DemoFlags, { open, out, progress }: DemoCommandDependencies): Promise<void> {
  const world = await open(line => progress.write(`${line}\n`))
  try {
    const show = flags.json ? () => {} : (result: DemoResult) => out.write(`${demoText(result.query, result)}\n`)
    const results = await runDemo(world.packContext, flags.budget, show)
    if (flags.json) out.write(`${printJson({ results })}\n`)
    if (!flags.serve) return
    // With --json, stdout holds the JSON document and nothing else.
    const lines = flags.json ? progress : out
    lines.write(curlLines(await world.listen()))
    await world.stopped()
  } finally {
    await world.close()
  }
}

function curlLines(url: string): string {
  const body = JSON.stringify({
    query: 'Who is Isharoth?',
    collection: DEMO_COLLECTION,
    budget_tokens: 800,
    trace: true,
  })
  return `
stowage listens on ${url}. Try:
  curl -s ${url}/v1/context -H 'content-type: application/json' -d '${body}'
  curl -s ${url}/collections/${DEMO_COLLECTION}
  curl -s ${url}/readyz
Stop with Ctrl-C.
`
}
