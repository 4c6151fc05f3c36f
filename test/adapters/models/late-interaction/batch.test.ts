import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  asTables,
  cheapestGroups,
  createBatches,
  type TokenAxes,
  tokenAxes,
  tokensOf,
} from '../../../../src/adapters/models/late-interaction/batch.ts'
import { roundedNames } from '../../../../src/adapters/models/onnx/graph.ts'
import { loadRuntime, type Tensors } from '../../../../src/adapters/models/onnx/runtime.ts'

const runtime = loadRuntime()
const { Tensor } = runtime
const padded = (tokens: number) => Math.max(64, Math.ceil(tokens / 64) * 64)

describe('groups of passages', () => {
  const lengths = fc.array(fc.integer({ min: 0, max: 600 }), { maxLength: 7 })
  const tokensIn = (group: number[], all: readonly number[]) =>
    group.length * Math.max(...group.map(at => padded(all[at] ?? 0)))
  const costOf = (groups: number[][], all: readonly number[]) =>
    groups.reduce((sum, group) => {
      const tokens = tokensIn(group, all)
      return sum + 250 + (group.length > 1 && tokens > 2_048 ? Number.POSITIVE_INFINITY : tokens)
    }, 0)

  it('have each passage once, and cost no more than any other division', () => {
    fc.assert(
      fc.property(lengths, all => {
        const groups = cheapestGroups(all)
        expect(groups.flat().sort((a, b) => a - b)).toEqual([...all.keys()])
        expect(costOf(groups, all)).toBe(Math.min(...divisions([...all.keys()]).map(groups => costOf(groups, all))))
      }),
      { numRuns: 60 },
    )
  })

  it('are as large as the caches allow, for many passages and for long ones', () => {
    const all = Array.from({ length: 50 }, (_, at) => 180 + (at % 40))
    const groups = cheapestGroups(all)
    expect(groups).toHaveLength(6)
    for (const group of groups) expect(tokensIn(group, all)).toBeLessThanOrEqual(2_048)
    expect(cheapestGroups([3_000, 3_000])).toHaveLength(2)
    expect(cheapestGroups([])).toEqual([])
  })
})

/** All ways to divide a list into groups. */
function divisions(list: readonly number[]): number[][][] {
  const [first, ...rest] = list
  if (first === undefined) return [[]]
  return divisions(rest).flatMap(groups => [
    [[first], ...groups],
    ...groups.map((_, at) => groups.map((group, other) => (other === at ? [first, ...group] : group))),
  ])
}

describe('a batch of sides', () => {
  const long = ['vectors', 'heads']
  const axes: TokenAxes = new Map([
    ['ids', 1],
    ['vectors', 1],
    ['heads', 2],
    ['present', 2],
  ])
  const float = (values: number[], dims: number[]) => new Tensor('float32', Float32Array.from(values), dims)
  /** A side whose numbers tell where they stood: of passage `name`, in no order that padding could keep by chance. */
  const sideOf = (name: number, tokens: number): Tensors => {
    const values = (count: number, from: number) =>
      Array.from({ length: count }, (_, at) => ((name * 31 + at + from) % 120) + 1)
    const int8 = (count: number, from: number, dims: number[]) =>
      new Tensor('int8', Int8Array.from(values(count, from)), dims)
    return {
      ids: new Tensor('int64', BigInt64Array.from(values(tokens, 1), BigInt), [1, tokens]),
      mean: float(values(3, 2), [1, 3]),
      present: float(
        Array.from({ length: tokens }, () => 1),
        [1, 1, tokens],
      ),
      [roundedNames('vectors').rounded]: int8(tokens * 4, 3, [1, tokens, 4]),
      [roundedNames('vectors').scales]: float(values(tokens, 4), [1, tokens]),
      [roundedNames('heads').rounded]: int8(2 * tokens * 3, 5, [1, 2, tokens, 3]),
      [roundedNames('heads').scales]: float(values(2 * tokens, 6), [1, 2, tokens]),
    }
  }

  it('has the numbers of each passage in their places, and zeros behind, after any other batch', () => {
    const batchOf = createBatches(runtime, { axes, long })
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 70 }), { minLength: 1, maxLength: 4 }), lengths => {
        const sides = lengths.map((tokens, at) => sideOf(at, tokens))
        const batch = batchOf(sides)
        const most = padded(Math.max(...lengths))
        for (const [name, tensor] of Object.entries(sides[0] ?? {})) {
          const joined = batch[name]
          const axis = axes.get(name.replace(/ (rounded|scales)$/u, '')) ?? null
          const expected = sides.flatMap(side => withZeros(side[name] ?? tensor, axis, most))
          expect([name, Array.from(joined?.data ?? [], Number)]).toEqual([name, expected])
        }
        const fed = asTables(batch, long, runtime)
        const shape = Array.from(fed[roundedNames('heads').shape]?.data ?? [], Number)
        expect(shape).toEqual([lengths.length, 2, most, 3])
        expect(fed[roundedNames('heads').rounded]?.dims).toEqual([lengths.length * 2 * most, 3])
        expect(fed[roundedNames('heads').scales]?.dims).toEqual([lengths.length * 2 * most])
        expect(batch.ids?.dims).toEqual([lengths.length, most])
      }),
      { numRuns: 40 },
    )
  })

  it('knows the tokens of a side, and the axes by two samples', () => {
    expect(tokensOf(sideOf(0, 7), axes)).toBe(7)
    expect(tokensOf(sideOf(0, 0), axes)).toBe(0)
    const zeros = (dims: number[]) => float(new Array(dims.reduce((size, one) => size * one, 1)).fill(0), dims)
    const exact = (tokens: number): Tensors => ({
      ids: zeros([1, tokens]),
      heads: zeros([1, 2, tokens, 3]),
      mean: zeros([1, 3]),
    })
    expect([...tokenAxes(exact(1), exact(2))]).toEqual([
      ['ids', 1],
      ['heads', 2],
    ])
  })
})

/** The numbers of a tensor of one passage, element by element. */
function withZeros({ dims, data }: Tensors[string], axis: number | null, tokens: number): number[] {
  if (axis === null) return Array.from(data, Number)
  const shape = axis === dims.length ? dims : dims.map((size, at) => (at === axis ? tokens : size))
  const places = shape.reduce<number[][]>(
    (all, size) => all.flatMap(place => Array.from({ length: size }, (_, at) => [...place, at])),
    [[]],
  )
  return places.map(place => {
    if ((place[axis] ?? 0) >= (dims[axis] ?? 0)) return 0
    return Number(data[place.reduce((index, at, level) => index * (dims[level] ?? 0) + at, 0)])
  })
}
