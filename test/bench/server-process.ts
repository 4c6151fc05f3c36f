import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Running, startProcess } from '../services/support/process.ts'
import { until } from '../services/support/wait.ts'
import compile from '../support/compile.ts'
import { COMPILED } from '../support/compiled.ts'
import { pathInRepository } from './world.ts'

/** Options of Node for the process that is measured, such as `--cpu-prof`. */
const MEASURED_OPTIONS = process.env.BENCH_NODE_OPTIONS ?? ''

/** A server in a process of its own, which ends with the bench. */
export interface ServerProcess extends Pick<Running, 'pid' | 'stop'> {
  url: string
}

/** Starts `stowage serve` as the package has it, as JavaScript, and on a free port. */
export async function startServe(environment: Readonly<Record<string, string>>): Promise<ServerProcess> {
  await compile()
  const line = [fileURLToPath(new URL('cli.js', COMPILED)), 'serve']
  return listening(line, { LOG_LEVEL: 'warn', PORT: '0', NODE_OPTIONS: MEASURED_OPTIONS, ...environment })
}

/** Starts an empty embedded engine. @param options of Node */
export function startEngine(...options: string[]): Promise<ServerProcess> {
  return listening([...options, '--import', 'tsx', pathInRepository('test/soak/engine-process.ts')], {})
}

/** Processor time that a process has taken, in milliseconds. Linux counts it in hundredths of a second. */
export function cpuMilliseconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /su, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Resident memory of a process, in megabytes of 10^6 bytes: what stands in memory now, and its highest so far. */
export function residentMegabytes(pid: number): { now: number; highest: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const field = (name: string) => (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'mu').exec(status)?.[1]) * 1_024) / 1e6
  return { now: field('VmRSS'), highest: field('VmHWM') }
}

async function listening(line: string[], environment: Record<string, string>): Promise<ServerProcess> {
  const running = await startProcess({
    program: process.execPath,
    line,
    environment: { PATH: process.env.PATH ?? '', ...environment },
  })
  const url = await until('the server listens', () => /listens on (http:\/\/[\d.]+:\d+)/u.exec(running.output())?.[1])
  return { url, pid: running.pid, stop: running.stop }
}
