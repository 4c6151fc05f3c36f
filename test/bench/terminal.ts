import { type Command, InvalidArgumentError } from 'commander'
import { ConfigError } from '../../src/config.ts'
import { StowageError } from '../../src/core/errors.ts'
import type { Interval } from '../../src/statistics/bootstrap.ts'

/** Parses the command line and runs; a fault that is the caller's is one line on stderr and exit code 2, also when servers are still open. */
export async function finish(program: Command): Promise<void> {
  try {
    await program.parseAsync()
  } catch (error) {
    if (!(error instanceof StowageError || error instanceof ConfigError)) throw error
    process.stderr.write(`${program.name()}: ${error.message}\n`)
    process.exit(2)
  }
}

/** A whole number above 0 from the command line. */
export function count(text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new InvalidArgumentError(`want a whole number above 0, got ${text}`)
}

/** Says how far it is: in one line on a terminal, elsewhere a line each tenth. */
export function progressLine(stream: NodeJS.WriteStream, what: string): (done: number, total: number) => void {
  let said = 0
  return (done, total) => {
    const tenth = Math.floor((10 * done) / total)
    if (stream.isTTY) stream.write(`\r${what} ${done}/${total}${done === total ? '\n' : ''}`)
    else if (tenth !== said) stream.write(`${what} ${done}/${total}\n`)
    said = tenth
  }
}

/** A mean with its interval. */
export function shown({ mean, low, high }: Interval): string {
  return `${mean.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`
}

/** A mean difference with its interval, signs always written. */
export function signed({ mean, low, high }: Interval): string {
  const sign = (value: number) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`
  return `${sign(mean)} [${sign(low)}, ${sign(high)}]`
}
