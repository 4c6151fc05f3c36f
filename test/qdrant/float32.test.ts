import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { printFloat32, printFloat64 } from '../../src/qdrant/float32.ts'

const float32 = fc.float({ noNaN: true, noDefaultInfinity: true })

/** Tries every number of digits from one on, each time with the exactly nearest decimal. */
function naiveFloat32(value: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0'
  let digits = 1
  while (Math.fround(Number(nearestDecimal(value, digits))) !== value) digits++
  const shortest = Number(nearestDecimal(value, digits))
  const size = Math.abs(shortest)
  if (size < 1e-6 || size >= 1e13) return shortest.toExponential().replace('e+', 'e')
  return /\./.test(String(shortest)) ? String(shortest) : `${shortest}.0`
}

/** The nearest decimal of so many digits, ties to even, in exact arithmetic. */
function nearestDecimal(value: number, digits: number): string {
  const shift = digits - 1 - Number(value.toExponential().split('e')[1])
  // Every float32 is a whole multiple of 2^-149.
  const numerator = BigInt(Math.abs(value) * 2 ** 100 * 2 ** 49) * 10n ** BigInt(Math.max(0, shift))
  const denominator = 2n ** 149n * 10n ** BigInt(Math.max(0, -shift))
  const [whole, twice] = [numerator / denominator, 2n * (numerator % denominator)]
  const up = twice > denominator || (twice === denominator && whole % 2n === 1n)
  return `${value < 0 ? '-' : ''}${up ? whole + 1n : whole}e${-shift}`
}

describe('a float32', () => {
  it.each([
    [1, '1.0'],
    [0, '0.0'],
    [-0, '-0.0'],
    [-3, '-3.0'],
    [0.5, '0.5'],
    [0.1, '0.1'],
    [5 / 6, '0.8333333'],
    [-12.25, '-12.25'],
    [16777216, '16777216.0'],
    [2536707.25, '2536707.2'],
    [-2536707.25, '-2536707.2'],
    [2536707.75, '2536707.8'],
    [0.00001, '0.00001'],
    [5e-6, '0.000005'],
    [1e-6, '0.000001'],
    [9.5e-7, '9.5e-7'],
    [1.5e-7, '1.5e-7'],
    [1e-45, '1e-45'],
    [9.5e12, '9500000000000.0'],
    [1e13, '1e13'],
    [1e20, '1e20'],
    [3.4028234663852886e38, '3.4028235e38'],
    [1e39, 'null'],
    [Number.NaN, 'null'],
  ])('%d is printed as %s', (value, text) => {
    expect(printFloat32(value)).toBe(text)
  })

  it('is printed as a naive search for the shortest decimal prints it, and reads back the same', () => {
    fc.assert(
      fc.property(float32, value => {
        const text = printFloat32(value)
        expect(text).toBe(naiveFloat32(value))
        expect(Math.fround(JSON.parse(text)) === value).toBe(true)
      }),
      { numRuns: 5000 },
    )
  })

  it('is rounded to one first', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -1e30, max: 1e30 }), value => {
        expect(printFloat32(value)).toBe(printFloat32(Math.fround(value)))
      }),
    )
  })
})

describe('a float64', () => {
  it.each([
    [5, '5.0'],
    [-0, '-0.0'],
    [0.1 + 0.2, '0.30000000000000004'],
    [0.00001, '0.00001'],
    [5e-6, '5e-6'],
    [1e15, '1000000000000000.0'],
    [1e16, '1e16'],
    [Number.NEGATIVE_INFINITY, 'null'],
  ])('%d is printed as %s', (value, text) => {
    expect(printFloat64(value)).toBe(text)
  })

  it('reads back the same', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), value => {
        expect(Object.is(JSON.parse(printFloat64(value)), value)).toBe(true)
      }),
    )
  })
})
