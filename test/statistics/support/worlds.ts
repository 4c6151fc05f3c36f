import { mean } from '../../../src/statistics/sample.ts'
import type { seededRandom } from '../../../src/statistics/seeded-random.ts'

type Random = ReturnType<typeof seededRandom>

/** A population of differences between two arms, of which queries are drawn. */
export interface World {
  name: string
  /** The true mean difference. */
  mean: number
  draw(random: Random): number
}

/**
 * Draws from a list with counts. `counts` has how many of the queries have a difference of this many parts: with 6 parts, -2 is a difference
 * of -1/3.
 */
function counted(name: string, parts: number, counts: Readonly<Record<number, number>>): World {
  const values = Object.entries(counts).flatMap(([key, count]) => Array<number>(count).fill(Number(key) / parts))
  return { name, mean: mean(values), draw: random => values[Math.floor(random() * values.length)] ?? 0 }
}

/**
 * The first four are differences in answer recall, average over the budgets 500, 1,000 and 2,000, that a replay of isharoth with
 * RERANKER=off showed against `measured`. The others have shapes of other measures.
 */
export const WORLDS = {
  baseline: counted('plan `baseline`: 65 of 186 not 0', 6, {
    [-6]: 11,
    [-5]: 1,
    [-4]: 18,
    [-3]: 1,
    [-2]: 18,
    [-1]: 6,
    0: 121,
    1: 2,
    2: 4,
    4: 2,
    6: 2,
  }),
  topk: counted('plan `topk`: 21 of 186 not 0', 6, { [-4]: 3, [-2]: 10, [-1]: 4, 0: 165, 1: 1, 2: 2, 4: 1 }),
  copies: counted('`dedupe.containment=off`: 19 of 186 not 0', 6, { [-4]: 5, [-2]: 11, [-1]: 2, 0: 167, 1: 1 }),
  answers: counted('`answerability.bonus=0`: 8 of 186 not 0, all losses', 6, { [-2]: 4, [-1]: 4, 0: 178 }),
  symmetric: counted('as many gains as losses: 20 % not 0', 6, {
    [-6]: 50,
    [-3]: 30,
    [-2]: 20,
    0: 800,
    2: 20,
    3: 30,
    6: 50,
  }),
  half: counted('half of the queries change', 6, { [-6]: 10, [-3]: 5, [-2]: 5, 0: 50, 2: 5, 3: 10, 6: 15 }),
  graded: {
    name: 'graded measure: skewed, 70 % not 0',
    mean: 0.5 / 3 - 0.2 / 6,
    draw(random: Random) {
      const [kind, size] = [random(), random() ** 2]
      return kind < 0.5 ? size : kind < 0.7 ? -size / 2 : 0
    },
  },
} as const satisfies Record<string, World>

/** A rule that changes very few questions, as the packing of sentences did on isharoth at 2,000 tokens. */
export const RARE = counted('4 of 186 not 0, all losses', 6, { [-6]: 1, [-3]: 3, 0: 182 })

/** The same world with as many gains as losses, so that there is no difference on average. */
export function withoutEffect({ name, draw }: World): World {
  return { name, mean: 0, draw: random => (random() < 0.5 ? draw(random) : -draw(random)) }
}

/** The same world with its mean moved to 0 and its skewness kept: its differences are not symmetric, as the randomization test assumes. */
export function centred({ name, mean: middle, draw }: World): World {
  return { name: `${name}, moved to mean 0`, mean: 0, draw: random => draw(random) - middle }
}

/** The same world with a share of its differences made positive or negative, so that the mean is `effect` and the absolute values stay. */
export function withEffect(world: World, effect: number, absolute: number): World {
  const gains = (1 + effect / absolute) / 2
  return {
    name: world.name,
    mean: effect,
    draw: random => Math.abs(world.draw(random)) * (random() < gains ? 1 : -1),
  }
}

/** One comparison: sets with these numbers of queries. */
export function sample(world: World, sizes: readonly number[], random: Random): number[][] {
  return sizes.map(size => Array.from({ length: size }, () => world.draw(random)))
}
