import type { Command } from 'commander'
import { StowageError } from '../core/errors.ts'
import { diagnose, diagnoseSetupFault } from '../doctor/doctor.ts'
import { type CollectionProbe, gatherFacts, type Setup } from '../doctor/facts.ts'
import type { Finding } from '../doctor/finding.ts'

/** What doctor needs of the composition root. */
export interface DoctorCommandDependencies {
  /** Sets up what `serve` would. What it throws (a bad configuration, a locked folder) becomes doctor's finding. */
  open(where: {
    url?: string
    apiKey?: string
  }): Promise<{ setup: Setup; probe: CollectionProbe; close(): Promise<void> }>
  out: NodeJS.WritableStream
}

interface DoctorFlags {
  collection?: string
  url?: string
  apiKey?: string
  json?: boolean
}

/** Adds `stowage doctor`: what works here, what does not, and how to mend it. Fails when a check does. */
export function addDoctorCommand(program: Command, dependencies: DoctorCommandDependencies): void {
  program
    .command('doctor')
    .description('check configuration, Qdrant, a collection and the models; print what to mend')
    .option('--collection <name>', 'look into this collection too')
    .option('--url <url>', 'Qdrant or stowage to ask (QDRANT_URL)')
    .option('--api-key <key>', 'its key (QDRANT_API_KEY)')
    .option('--json', 'print {"ok": …, "findings": [...]}')
    .action((flags: DoctorFlags) => runDoctor(flags, dependencies))
}

async function runDoctor(flags: DoctorFlags, { open, out }: DoctorCommandDependencies): Promise<void> {
  const findings = await examine(flags, open)
  const failed = findings.filter(finding => finding.status === 'fail').length
  out.write(flags.json ? `${JSON.stringify({ ok: failed === 0, findings })}\n` : findings.map(findingText).join(''))
  if (failed > 0) throw new StowageError('unprocessable', `${failed} of ${findings.length} checks failed`)
}

async function examine(flags: DoctorFlags, open: DoctorCommandDependencies['open']): Promise<Finding[]> {
  const where = { ...(flags.url ? { url: flags.url } : {}), ...(flags.apiKey ? { apiKey: flags.apiKey } : {}) }
  const opened = await open(where).catch((error: unknown) =>
    error instanceof Error ? error : new Error(String(error)),
  )
  if (opened instanceof Error) return diagnoseSetupFault(opened.message)
  try {
    return diagnose(await gatherFacts(opened.setup, opened.probe, flags.collection ?? null))
  } finally {
    await opened.close()
  }
}

const MARKS = { ok: '✓', warn: '!', fail: '✗' }

function findingText({ check, status, detail, fix }: Finding): string {
  const line = `${MARKS[status]} ${check.padEnd(16)} ${detail}\n`
  return fix === null ? line : `${line}  ${' '.repeat(16)} → ${fix}\n`
}
