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

/**
 * Starts `stowage serve` as the package has it, as JavaScript, and on a free port.
 * @param cores the processor cores that it may use, as `taskset -c` takes them; default: all
 */
export async function startServe(
  environment: Readonly<Record<string, string>>,
  cores?: string,
): Promise<ServerProcess> {
  await compile()
  const line = [fileURLToPath(new URL('cli.js', COMPILED)), 'serve']
  const program = cores === undefined ? [process.execPath] : ['taskset', '-c', cores, process.execPath]
  return listening([...program, ...line], {
    LOG_LEVEL: 'warn',
    PORT: '0',
    NODE_OPTIONS: MEASURED_OPTIONS,
    ...environment,
  })
}

/** Starts an empty embedded engine. @param options of Node */
export function startEngine(...options: string[]): Promise<ServerProcess> {
  const line = [...options, '--import', 'tsx', pathInRepository('test/soak/engine-process.ts')]
  return listening([process.execPath, ...line], {})
}

/** Processor time that a process and those below it have taken, in milliseconds. Linux counts it in hundredths of a second. */
export function cpuMilliseconds(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, one) => sum + ownMilliseconds(one), 0)
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
}

function ownMilliseconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /su, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/**
 * Resident memory of a process and those below it, in megabytes of 10^6 bytes: what stands in memory now, its highest so far, and what it
 * is now when a page that several processes share counts once (`Pss`).
 */
export function residentMegabytes(pid: number): { now: number; highest: number; proportional: number } {
  const sum = (file: string, name: string) =>
    [pid, ...childrenOf(pid)].reduce((megabytes, one) => {
      const field = new RegExp(`^${name}:\\s+(\\d+) kB`, 'mu').exec(readFileSync(`/proc/${one}/${file}`, 'utf8'))
      return megabytes + (Number(field?.[1]) * 1_024) / 1e6
    }, 0)
  return { now: sum('status', 'VmRSS'), highest: sum('status', 'VmHWM'), proportional: sum('smaps_rollup', 'Pss') }
}

async function listening(
  [program = '', ...line]: string[],
  environment: Record<string, string>,
): Promise<ServerProcess> {
  const running = await startProcess({
    program,
    line,
    environment: { PATH: process.env.PATH ?? '', ...environment },
  })
  const url = await until('the server listens', () => /listens on (http:\/\/[\d.]+:\d+)/u.exec(running.output())?.[1])
  return { url, pid: running.pid, stop: running.stop }
}
