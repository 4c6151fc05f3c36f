import { InvalidArgumentError } from 'commander'

/**
 * Reads an option that is a number from `least` to `most`: a whole one, unless `whole` is false.
 * The returned function throws InvalidArgumentError, which commander prints with the name of the option.
 */
export function numberOption(
  least: number,
  most = Number.MAX_SAFE_INTEGER,
  { whole = true } = {},
): (text: string) => number {
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`
  return text => {
    const value = Number(text)
    const isNumber = /^\d*\.?\d+$/u.test(text.trim()) && (!whole || Number.isInteger(value))
    if (isNumber && value >= least && value <= most) return value
    throw new InvalidArgumentError(`Want a ${whole ? 'whole ' : ''}number ${range}, got ${JSON.stringify(text)}.`)
  }
}
