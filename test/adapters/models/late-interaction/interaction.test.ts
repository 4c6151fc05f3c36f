import { describe, expect, it } from 'vitest'
import { LOGITS, type OpenedCut } from '../../../../src/adapters/models/late-interaction/cut.ts'
import { createInteraction } from '../../../../src/adapters/models/late-interaction/interaction.ts'
import { wordNames } from '../../../../src/adapters/models/onnx/graph.ts'
import { loadRuntime, type Tensors } from '../../../../src/adapters/models/onnx/runtime.ts'

const runtime = loadRuntime()

/** A side is the ids of its tokens, and the logit of a pair the sum of both. */
function cutWith(logitsOf: (ids: number[][], asked: number) => number[]) {
  const runs: number[] = []
  const encode = async (_: string, { input_ids }: Tensors): Promise<Tensors> => (input_ids ? { input_ids } : {})
  const cut: OpenedCut = {
    encode: async (slot, inputs) =>
      slot === 'passage' ? encode(slot, inputs) : { asked: (await encode(slot, inputs)).input_ids as Tensors[string] },
    axes: new Map([['input_ids', 1]]),
    long: [],
    byWord: null,
    interaction: {
      async run({ input_ids, asked }) {
        const [pairs = 0, tokens = 0] = input_ids?.dims ?? []
        const ids = Array.from(input_ids?.data ?? [], Number)
        const rows = Array.from({ length: pairs }, (_, at) => ids.slice(at * tokens, (at + 1) * tokens))
        runs.push(pairs)
        const logits = logitsOf(rows, Number(asked?.data[0] ?? 0))
        return { [LOGITS]: new runtime.Tensor('float32', Float32Array.from(logits), [pairs, 1]) }
      },
    },
  }
  return { cut, runs }
}

const idsOf = (...ids: number[]) => new runtime.Tensor('int64', BigInt64Array.from(ids, BigInt), [1, ids.length])
const sum = (ids: number[]) => ids.reduce((total, id) => total + id, 0)
const PASSAGES = [[5], [1, 2, 3], [9, 9], [4]].map(ids => ({ input_ids: idsOf(...ids) }))
const query = { asked: idsOf(100) }

it('scores passages together, in their order, when the graph takes them so', async () => {
  const { cut, runs } = cutWith((rows, asked) => rows.map(ids => asked + sum(ids)))
  const logitsOf = await createInteraction(cut, runtime)
  runs.length = 0
  expect(await logitsOf(query, PASSAGES)).toEqual([105, 106, 118, 104])
  expect(runs).toEqual([4])
})

it.each([
  [
    'refuses several',
    (rows: number[][], asked: number) => {
      if (rows.length > 1) throw new Error('one at a time')
      return rows.map(ids => asked + sum(ids))
    },
    [105, 106, 118, 104],
  ],
  [
    'counts the padding',
    (rows: number[][], asked: number) => rows.map(ids => asked + ids.length),
    [101, 103, 102, 101],
  ],
  [
    'answers for the first only',
    ([first = []]: number[][], asked: number) => [asked + sum(first)],
    [105, 106, 118, 104],
  ],
])('scores them one by one, without padding, when the graph %s', async (_, logits, expected) => {
  const { cut, runs } = cutWith(logits)
  const logitsOf = await createInteraction(cut, runtime)
  runs.length = 0
  expect(await logitsOf(query, PASSAGES)).toEqual(expected)
  expect(runs).toEqual([1, 1, 1, 1])
})

it('scores them one by one when a tensor has fewer tokens than the others, and gives it as it is', async () => {
  const { cut } = cutWith((rows, asked) => rows.map(ids => asked + sum(ids)))
  const seen: number[][] = []
  const without = (ids: Tensors[string] | undefined) => idsOf(...Array.from(ids?.data ?? [], Number).slice(1))
  const own: OpenedCut = {
    ...cut,
    encode: async (slot, inputs) => {
      const tensors = await cut.encode(slot, inputs)
      return slot === 'passage' ? { ...tensors, others: without(tensors.input_ids) } : tensors
    },
    axes: new Map([
      ['input_ids', 1],
      ['others', 1],
    ]),
    interaction: {
      ...cut.interaction,
      run(feeds) {
        seen.push([...(feeds.others?.dims ?? [])])
        // The tensor has one token less than the ids.
        if ((feeds.others?.dims[1] ?? 0) !== (feeds.input_ids?.dims[1] ?? 0) - 1) throw new Error('of another length')
        return cut.interaction.run(feeds)
      },
    },
  }
  const logitsOf = await createInteraction(own, runtime)
  seen.length = 0
  const passages = PASSAGES.map(passage => ({ ...passage, others: without(passage.input_ids) }))
  expect(await logitsOf(query, passages)).toEqual([105, 106, 118, 104])
  expect(seen).toEqual([
    [1, 0],
    [1, 2],
    [1, 1],
    [1, 0],
  ])
})

describe('a tensor that is computed by words', () => {
  /** What the graph makes of a word: its id, and what its place among the words adds. */
  function cutByWords(ofPlace: (place: number) => number) {
    const seen: number[] = []
    const { cut } = cutWith(() => [])
    const own: OpenedCut = {
      ...cut,
      byWord: 'match',
      interaction: {
        async run({ input_ids, asked, [wordNames('match').places]: places }) {
          const computed = Array.from(input_ids?.data ?? [], Number).map((id, place) => id + ofPlace(place))
          seen.push(computed.length)
          const [pairs = 0, tokens = 0] = places?.dims ?? []
          const found = Array.from(places?.data ?? [], Number).map(place => computed[place] ?? 0)
          const logits = Array.from(
            { length: pairs },
            (_, at) => Number(asked?.data[0] ?? 0) + sum(found.slice(at * tokens, (at + 1) * tokens)),
          )
          return { [LOGITS]: new runtime.Tensor('float32', Float32Array.from(logits), [pairs, 1]) }
        },
      },
    }
    return { own, seen }
  }

  it('has each different word of the passages once', async () => {
    const { own, seen } = cutByWords(() => 0)
    const logitsOf = await createInteraction(own, runtime)
    seen.length = 0
    expect(await logitsOf(query, PASSAGES)).toEqual([105, 106, 118, 104])
    // 1, 2, 3, 4, 5, 9, and the zeros behind.
    expect(seen).toEqual([7])
  })

  it('has each token for itself when a word is not the same everywhere', async () => {
    const { own, seen } = cutByWords(place => 10 * place)
    const logitsOf = await createInteraction(own, runtime)
    seen.length = 0
    expect(await logitsOf(query, PASSAGES)).toEqual([105, 136, 128, 104])
    expect(seen).toEqual([1, 3, 2, 1])
  })
})
