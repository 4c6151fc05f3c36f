import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finish } from '../../src/core/steps.ts'
import { CONTEXT_FORMATS } from '../../src/core/types.ts'
import { CostModel } from '../../src/pack/cost.ts'
import { JoinedText, joinOf } from '../../src/pack/join.ts'
import { layOut } from '../../src/pack/layout.ts'
import { GAP, RENDERERS, render } from '../../src/pack/render.ts'
import { sentenceUnits } from '../../src/pack/sentences/units.ts'
import { textOf, type Unit, wholeChunk } from '../../src/pack/unit.ts'
import { UnitQueue } from '../../src/pack/unit-queue.ts'
import { rawWords } from '../../src/text/terms/terms.ts'
import { candidates, countWords, inSteps } from '../support/candidates.ts'

/** Whole chunks, or some of their sentences, in any order. */
const units = fc
  .tuple(candidates(8), fc.boolean(), fc.infiniteStream(fc.integer({ min: 0, max: 99 })))
  .map(([pool, asSentences, stream]): Unit[] => {
    const all = asSentences ? finish(sentenceUnits(pool, 'harbour tide')) : pool.map(wholeChunk)
    const drawn = all.map(unit => ({ unit, at: stream.next().value ?? 0 }))
    return drawn
      .filter(({ at }) => at < 70)
      .sort((a, b) => a.at - b.at)
      .map(({ unit }) => unit)
  })

describe('the cost of a unit', () => {
  it('is what a comparison with each unit of its section gives', () => {
    fc.assert(
      fc.property(units, fc.constantFrom(...CONTEXT_FORMATS), (list, format) => {
        const renderer = RENDERERS[format]
        const model = new CostModel(renderer, inSteps(countWords), Number.POSITIVE_INFINITY)
        const added: Unit[] = []
        for (const unit of list) {
          const cost = finish(model.costOf(unit))
          const section = added.filter(other => other.candidate.chunk.sectionPath === unit.candidate.chunk.sectionPath)
          if (section.length > 0) {
            const before = section.flatMap(other => joinOf(other, unit) ?? [])
            const after = section.flatMap(other => {
              const join = joinOf(unit, other)
              return join ? [{ ...join, next: other }] : []
            })
            const own = countWords(renderer.escape(textOf(unit).trim())) + 1
            const gaps = (1 - before.length - after.length) * countWords(renderer.escape(GAP))
            const startOf = (next: Unit, length: number) =>
              countWords(renderer.escape(next.candidate.chunk.text.slice(0, length)))
            const repeated =
              before.reduce((sum, { overlap }) => sum + startOf(unit, overlap), 0) +
              after.reduce((sum, { overlap, next }) => sum + startOf(next, overlap), 0)
            // A space between two sentences of a line is no token of its own.
            const spaces = before.length + after.length
            const naive = own + gaps - repeated
            expect(cost).toBeLessThanOrEqual(Math.max(0, naive))
            expect(cost).toBeGreaterThanOrEqual(Math.max(0, naive - spaces))
          }
          model.add(unit, cost)
          added.push(unit)
        }
      }),
    )
  })

  it('adds up to about the tokens of the rendered context, for sentences too', () => {
    fc.assert(
      fc.property(units, fc.constantFrom(...CONTEXT_FORMATS), (list, format) => {
        const model = new CostModel(RENDERERS[format], inSteps(countWords), Number.POSITIVE_INFINITY)
        for (const unit of list) model.add(unit, finish(model.costOf(unit)))
        const context = render(layOut(list, 'relevance'), RENDERERS[format], () => 0.5, Number.POSITIVE_INFINITY)
        expect(model.used).toBeGreaterThanOrEqual(countWords(context))
        // One token for the line break after each unit, which this tokenizer does not count.
        expect(model.used).toBeLessThanOrEqual(countWords(context) + 4 * list.length + 4)
      }),
    )
  })
})

describe('the queue of units', () => {
  const ranked = fc.array(fc.record({ value: fc.integer({ min: 0, max: 5 }), putBack: fc.boolean() }), {
    maxLength: 12,
  })

  it('gives the order of a search through all units in each turn', () => {
    fc.assert(
      fc.property(candidates(10), ranked, fc.constantFrom(0, 0.5, 1), (pool, rows, alpha) => {
        const all = pool.map((candidate, at) => ({ ...wholeChunk(candidate), value: (rows[at]?.value ?? 3) / 5 }))
        const putBack = new Set(all.filter((_, at) => rows[at]?.putBack))
        expect(order(all, putBack, alpha)).toEqual(naiveOrder(all, putBack, alpha))
      }),
    )
  })

  function order(all: readonly Unit[], putBack: ReadonlySet<Unit>, alpha: number) {
    const queue = new UnitQueue(alpha)
    finish(queue.add(all))
    const taken: [string, number][] = []
    for (let next = finish(queue.next()); next !== null; next = finish(queue.next())) {
      if (putBack.has(next.unit) && !next.isPutBack) {
        queue.putBack(next, next.marginal / 2)
        continue
      }
      taken.push([next.unit.candidate.key, next.marginal])
      queue.addPacked(next)
    }
    return taken
  }

  function naiveOrder(all: readonly Unit[], putBack: ReadonlySet<Unit>, alpha: number) {
    const packed = new Set<string>()
    const waiting = all.map(unit => ({ unit, fixed: null as number | null }))
    const marginalOf = ({ unit, fixed }: (typeof waiting)[number]) => {
      const words = [...new Set(rawWords(textOf(unit)))]
      if (fixed !== null || words.length === 0) return fixed ?? unit.value
      return unit.value * (1 - (alpha * words.filter(word => packed.has(word)).length) / words.length)
    }
    let byMarginal = alpha > 0
    const taken: [string, number][] = []
    while (waiting.length > 0) {
      const best = byMarginal ? Math.max(...waiting.map(marginalOf)) : null
      const at = best === null ? 0 : waiting.findIndex(entry => marginalOf(entry) === best)
      const [entry] = waiting.splice(at, 1)
      if (!entry) break
      const marginal = marginalOf(entry)
      if (putBack.has(entry.unit) && entry.fixed === null) {
        byMarginal = true
        waiting.push({ unit: entry.unit, fixed: marginal / 2 })
        continue
      }
      taken.push([entry.unit.candidate.key, marginal])
      for (const word of rawWords(textOf(entry.unit))) packed.add(word)
    }
    return taken
  }
})

describe('joined texts', () => {
  it('are those of joining two strings again and again', () => {
    const part = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '.'), maxLength: 8 })
    const separator = fc.constantFrom('', '\n', ' ', '\n\n')
    fc.assert(
      fc.property(part, fc.array(fc.tuple(separator, part)), (first, others) => {
        const joined = new JoinedText(first)
        let naive = first
        for (const [between, text] of others) {
          joined.append(between, text)
          const from = naive.trimEnd()
          const to = text.trimStart()
          const seam = `${naive.slice(from.length)}${between}${text.slice(0, text.length - to.length)}`
          const indentation = seam.slice(seam.lastIndexOf('\n') + 1)
          const broken = `${/\n.*\n/su.test(seam) ? '\n\n' : '\n'}${indentation}`
          naive = `${from}${seam.length <= 2 ? seam : seam.includes('\n') ? broken : ' '}${to}`
        }
        expect(String(joined)).toBe(naive)
      }),
    )
  })
})
