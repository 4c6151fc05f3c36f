import { Command, Option } from 'commander'
import { type BenchSection, machine, sectionText } from './bench-report.ts'
import { contextLatency } from './sections/context.ts'
import { eventLoop } from './sections/event-loop.ts'
import { packerValue } from './sections/packer-value.ts'
import { packingTime } from './sections/packing-time.ts'
import { pairsPerSecond } from './sections/pairs.ts'
import { passthroughLatency } from './sections/passthrough.ts'
import { tokensPerSecond } from './sections/tokens.ts'

const SECTIONS: Record<string, () => Promise<BenchSection> | BenchSection> = {
  value: packerValue,
  pairs: pairsPerSecond,
  context: contextLatency,
  passthrough: passthroughLatency,
  packing: packingTime,
  tokens: tokensPerSecond,
  'event-loop': eventLoop,
}

const program = new Command('bench')
  .description('measure stowage beside what it stands on: medians of interleaved rounds, ratios to the first row')
  .addOption(new Option('--only <name>', 'one section alone').choices(Object.keys(SECTIONS)))
  .option('--json', 'one JSON document on stdout, every round in it (npm run --silent)')
  .action(run)

async function run({ only, json }: { only?: string; json?: boolean }): Promise<void> {
  const about = machine()
  if (!json) process.stdout.write(`Node ${about.node}, ${about.cores} × ${about.cpu}, load ${about.load.join(' ')}\n`)
  const sections: BenchSection[] = []
  for (const [name, measure] of Object.entries(SECTIONS)) {
    if (only !== undefined && only !== name) continue
    process.stderr.write(`measuring ${name}…\n`)
    const section = await measure()
    sections.push(section)
    if (!json) process.stdout.write(`\n${sectionText(section)}\n`)
  }
  if (json) process.stdout.write(`${JSON.stringify({ machine: about, sections })}\n`)
}

await program.parseAsync()
