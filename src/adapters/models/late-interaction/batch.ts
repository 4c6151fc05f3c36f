import { roundedNames } from '../onnx/graph.ts'
import { type Runtime, sizeOf, type Tensor, type TensorData, type Tensors } from '../onnx/runtime.ts'

/**
 * Sides are padded to a multiple of this number of tokens. Sums over the tokens are computed in blocks of at most 64 numbers, so zeros behind whole blocks do not
 * change the order of the rest, and a logit of the included reranker does not depend on what is computed beside it (decision 87).
 */
const PADDED_TO = 64

/** The axis of a tensor that counts the tokens of the passage; a tensor without one is not here. */
export type TokenAxes = ReadonlyMap<string, number>

/** The axes along which tensors of two passages, one longer than the other, differ. */
export function tokenAxes(short: Tensors, long: Tensors): TokenAxes {
  return new Map(
    Object.entries(short).flatMap(([name, { dims }]): [string, number][] => {
      const axis = dims.findIndex((length, at) => long[name]?.dims[at] !== length)
      return axis < 0 ? [] : [[name, axis]]
    }),
  )
}

/** Tokens of one run with their padding. What more need does not stay in the caches of a processor. */
const MOST_TOKENS = 2_048
/** What a run costs beside its arithmetic, in tokens of a passage: .2 ms. */
const RUN_COST = 250

/** At least one multiple: nothing can be computed of no tokens. */
const padded = (tokens: number) => Math.max(1, Math.ceil(tokens / PADDED_TO)) * PADDED_TO

/**
 * The groups of passages that cost least together: few runs, and little padding, because a passage takes as long as the longest one of its group.
 * @param lengths in tokens
 * @returns places in `lengths`
 */
export function cheapestGroups(lengths: readonly number[]): number[][] {
  const places = [...lengths.keys()].sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0) || a - b)
  /** Of the first passages, the shortest ones: the least cost, and where the last group begins. */
  const best = [{ cost: 0, start: 0 }]
  for (const [at, place] of places.entries()) {
    const each = padded(lengths[place] ?? 0)
    let cheapest = { cost: Number.POSITIVE_INFINITY, start: at }
    for (let start = at; start >= 0; start--) {
      const tokens = (at + 1 - start) * each
      if (tokens > MOST_TOKENS && start < at) break
      const cost = (best[start]?.cost ?? 0) + RUN_COST + tokens
      if (cost < cheapest.cost) cheapest = { cost, start }
    }
    best.push(cheapest)
  }
  const groups: number[][] = []
  for (let end = places.length; end > 0; end = best[end]?.start ?? 0) groups.push(places.slice(best[end]?.start, end))
  return groups
}

/** Tokens of a passage. @param axes of the tensors, of which at least one has tokens */
export function tokensOf(side: Tensors, axes: TokenAxes): number {
  for (const [name, axis] of axes) {
    const tensor = side[name] ?? side[roundedNames(name).rounded]
    if (tensor !== undefined) return tensor.dims[axis] ?? 0
  }
  return 0
}

/**
 * The tensors of passages as the interaction takes them: the rows of a rounded tensor come as a table, with the shape of the whole beside it.
 * @param long names of the tensors that `roundRows` has rounded
 */
export function asTables(tensors: Tensors, long: readonly string[], { Tensor }: Runtime): Tensors {
  const fed = { ...tensors }
  for (const names of long.map(roundedNames)) {
    const [values, scales] = [tensors[names.rounded], tensors[names.scales]]
    if (values === undefined || scales === undefined) continue
    const rows = sizeOf(scales.dims)
    fed[names.rounded] = new Tensor('int8', values.data, [rows, values.dims.at(-1) ?? 1])
    fed[names.scales] = new Tensor('float32', scales.data, [rows])
    fed[names.shape] = new Tensor('int64', BigInt64Array.from(values.dims, BigInt), [values.dims.length])
  }
  return fed
}

/**
 * Makes a function that joins the sides of passages to one batch, with zeros behind the tokens of each. The tensors are good until the next call.
 * @param sides `long` names the tensors that `roundRows` has rounded
 */
export function createBatches(
  { Tensor }: Runtime,
  { axes, long }: { axes: TokenAxes; long: readonly string[] },
): (sides: readonly Tensors[]) => Tensors {
  const axisOf = new Map(axes)
  for (const name of long) {
    for (const kept of Object.values(roundedNames(name))) axisOf.set(kept, axes.get(name) ?? 0)
  }
  const buffers = new Map<string, TensorData>()

  function join(name: string, tensors: readonly Tensor[], tokens: number): Tensor {
    const [{ type, dims, data }] = tensors as [Tensor]
    const axis = axisOf.get(name)
    const place = dims.slice(1).map((length, at) => (at + 1 === axis ? tokens : length))
    const each = sizeOf(place)
    const joined = bufferFor(name, data, each * tensors.length)
    for (const [at, tensor] of tensors.entries()) {
      copyPadded(tensor, axis ?? 0, tokens, joined.subarray(at * each, (at + 1) * each))
    }
    return new Tensor(type, joined, [tensors.length, ...place])
  }

  function bufferFor(name: string, like: TensorData, size: number): TensorData {
    let buffer = buffers.get(name)
    if (buffer === undefined || buffer.length < size) {
      buffer = new (like.constructor as new (size: number) => TensorData)(size)
      buffers.set(name, buffer)
    }
    return buffer.subarray(0, size)
  }

  return sides => {
    const tokens = padded(Math.max(...sides.map(side => tokensOf(side, axes))))
    const joined: Tensors = {}
    for (const name of Object.keys(sides[0] ?? {})) {
      joined[name] = join(name, sides.map(side => side[name]).filter(isThere), tokens)
    }
    return joined
  }
}

const isThere = (tensor: Tensor | undefined): tensor is Tensor => tensor !== undefined

/** Copies a tensor of one passage, and writes zeros behind its tokens. @param axis of the tokens; 0: it has none */
function copyPadded({ dims, data }: Tensor, axis: number, tokens: number, target: TensorData): void {
  const outer = sizeOf(dims.slice(1, axis))
  const inner = axis === 0 ? data.length : sizeOf(dims.slice(axis + 1))
  const own = axis === 0 ? inner : (dims[axis] ?? 0) * inner
  const whole = axis === 0 ? inner : tokens * inner
  for (let block = 0; block < outer; block++) {
    target.set(data.subarray(block * own, (block + 1) * own) as never, block * whole)
    target.fill(zeroOf(target) as never, block * whole + own, (block + 1) * whole)
  }
}

const zeroOf = (values: TensorData): number | bigint => (values instanceof BigInt64Array ? 0n : 0)
