import type { Command } from 'commander'
import { StowageError } from '../core/errors.ts'
import { diagnose } from '../doctor/doctor.ts'
import { type CollectionProbe, gatherFacts, type Setup } from '../doctor/facts.ts'
import { type Finding, fail } from '../doctor/finding.ts'
import { type NextStep, nextStep } from '../doctor/next-step.ts'
import { ADDRESS_KEY, type Address, addressOf, urlOption } from './option-values.ts'

export interface DoctorCommandDependencies {
  /** Sets up the same as `serve`. A rejection (wrong configuration, locked folder) becomes a finding. */
  open(where: Address): Promise<{ setup: Setup; probe: CollectionProbe; close(): Promise<void> }>
  out: NodeJS.WritableStream
}

interface DoctorFlags extends Address {
  collection?: string
  json?: boolean
}

/** Adds `stowage doctor`: prints one finding per check, and fails when a check fails. */
export function addDoctorCommand(program: Command, dependencies: DoctorCommandDependencies): void {
  program
    .command('doctor')
    .description('check configuration, Qdrant, models and a collection; print how to fix each fault')
    .option('--collection <name>', 'check this collection too')
    .option('--url <url>', 'address of Qdrant or stowage (default: QDRANT_URL, else the embedded engine)', urlOption)
    .option('--api-key <key>', ADDRESS_KEY)
    .option('--json', 'print {"ok": …, "findings": [...], "next": …}')
    .action((flags: DoctorFlags) => runDoctor(flags, dependencies))
}

async function runDoctor(flags: DoctorFlags, { open, out }: DoctorCommandDependencies): Promise<void> {
  const { findings, url } = await examine(flags, open)
  const next = nextStep(findings, flags.collection ?? null, url)
  const failed = findings.filter(finding => finding.status === 'fail').length
  out.write(
    flags.json
      ? `${JSON.stringify({ ok: failed === 0, findings, next })}\n`
      : findings.map(findingText).join('') + nextText(next),
  )
  if (failed > 0) throw new StowageError('unprocessable', `${failed} of ${findings.length} checks failed`)
}

async function examine(
  flags: DoctorFlags,
  open: DoctorCommandDependencies['open'],
): Promise<{ findings: Finding[]; url: string | null }> {
  const opened = await open(addressOf(flags)).catch((error: unknown) =>
    error instanceof Error ? error : new Error(String(error)),
  )
  if (opened instanceof Error)
    return { findings: [fail('configuration', opened.message, 'Fix this, then run doctor again.')], url: null }
  try {
    const facts = await gatherFacts(opened.setup, opened.probe, flags.collection ?? null)
    return { findings: diagnose(facts), url: opened.setup.embedded ? null : opened.setup.url }
  } finally {
    await opened.close()
  }
}

const MARKS = { ok: '✓', warn: '!', fail: '✗' }

function findingText({ check, status, detail, fix }: Finding): string {
  const line = `${MARKS[status]} ${check.padEnd(16)} ${detail}\n`
  return fix === null ? line : `${line}  ${' '.repeat(16)} → ${fix}\n`
}

function nextText(next: NextStep | null): string {
  return next === null ? '' : `\nnext: step ${next.step} of docs/existing-collection.md, ${next.title}\n  ${next.fix}\n`
}
