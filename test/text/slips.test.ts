import { distance } from 'fastest-levenshtein'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../src/statistics/seeded-random.ts'
import { slipsApart } from '../../src/text/terms/slips.ts'

const NEVER = Number.POSITIVE_INFINITY

describe('slips of a typist', () => {
  it.each([
    ['water', 'water', 0],
    ['water', 'wtaer', 1],
    ['danger', 'dangre', 1],
    ['water', 'watr', 1],
    ['water', 'waater', 1],
    ['water', 'warer', 1],
    ['water', 'watrer', 1],
    ['sponsored', 'sponsered', 1],
    ['authentication', 'authetnicaton', 2],
    ['definitely', 'definately', 1],
  ])('lead from %s to %s', (meant, typed, slips) => {
    expect(slipsApart(meant, typed)).toBe(slips)
  })

  it.each([
    ['mortgagee', 'mortgagor'],
    ['subset', 'subnet'],
    ['nextjs', 'nestjs'],
    ['grade', 'gradle'],
    ['stdio', 'stdin'],
    ['https', 'httpx'],
    ['Schmidt', 'Schmitt'],
    ['water', 'eater'],
    ['', 'a'],
  ])('do not lead from %s to %s, or not one alone', (meant, typed) => {
    expect(slipsApart(meant, typed)).toBeGreaterThan(1)
  })

  it('are never fewer than the edits without swaps, less one for each swap', () => {
    const random = seededRandom(7)
    const word = () =>
      Array.from({ length: 3 + Math.floor(random() * 6) }, () => 'asdwert'[Math.floor(random() * 7)]).join('')
    let related = 0
    for (let round = 0; round < 20_000; round++) {
      const [meant, typed] = [`a${word()}e`, `a${word()}e`]
      const slips = slipsApart(meant, typed)
      if (slips !== NEVER) related++
      expect(2 * slips).toBeGreaterThanOrEqual(distance(meant, typed))
      if (meant === typed) expect(slips).toBe(0)
      else expect(slips).toBeGreaterThan(0)
    }
    expect(related).toBeGreaterThan(100)
  })
})
