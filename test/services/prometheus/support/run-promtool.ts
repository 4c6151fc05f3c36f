import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { promtool } from '../../support/prometheus.ts'

/** Runs promtool to its end, with a text as its input. Rejects with what it found when the exit code is not 0. */
export function runPromtool(line: readonly string[], input = ''): Promise<{ stdout: string; stderr: string }> {
  const running = promisify(execFile)(promtool(), line)
  running.child.stdin?.end(input)
  return running
}
