import { sigmoid } from '../../../src/statistics/sigmoid.ts'

/** A logistic model: `sigmoid(bias + weights · features)`. */
export interface Logistic {
  bias: number
  weights: number[]
}

export interface Example {
  features: readonly number[]
  /** 1 or 0. */
  wanted: number
  /** How much it counts. */
  weight: number
}

const STEPS = 1_000
const MOMENTUM = 0.9
const PENALTY = 1e-3

/** Logistic regression by gradient descent over standardized features, with a small penalty. No weight becomes negative. */
export function fitLogistic(examples: readonly Example[]): Logistic {
  const total = examples.reduce((sum, { weight }) => sum + weight, 0)
  const width = examples[0]?.features.length ?? 0
  const columns = Array.from({ length: width }, (_, at) => examples.map(({ features }) => features[at] ?? 0))
  const weighted = (values: readonly number[]) =>
    values.reduce((sum, value, at) => sum + value * (examples[at]?.weight ?? 0), 0) / total
  const means = columns.map(weighted)
  const deviations = columns.map(
    (column, at) => Math.sqrt(weighted(column.map(one => (one - (means[at] ?? 0)) ** 2))) || 1,
  )
  const scaled = columns.map((column, at) => column.map(one => (one - (means[at] ?? 0)) / (deviations[at] ?? 1)))
  const state = { bias: 0, speed: 0, weights: means.map(() => 0), speeds: means.map(() => 0) }
  for (let step = 0; step < STEPS; step += 1) {
    const errors = examples.map(({ wanted }, row) => {
      const logit = scaled.reduce((sum, column, at) => sum + (column[row] ?? 0) * (state.weights[at] ?? 0), state.bias)
      return sigmoid(logit) - wanted
    })
    state.speed = MOMENTUM * state.speed - weighted(errors)
    state.bias += state.speed
    scaled.forEach((column, at) => {
      const slope =
        weighted(errors.map((error, row) => error * (column[row] ?? 0))) + PENALTY * (state.weights[at] ?? 0)
      const speed = MOMENTUM * (state.speeds[at] ?? 0) - slope
      const moved = (state.weights[at] ?? 0) + speed
      state.weights[at] = Math.max(0, moved)
      state.speeds[at] = moved < 0 ? 0 : speed
    })
  }
  const weights = state.weights.map((weight, at) => weight / (deviations[at] ?? 1))
  const bias = state.bias - weights.reduce((sum, weight, at) => sum + weight * (means[at] ?? 0), 0)
  return { bias: shortened(bias), weights: weights.map(shortened) }
}

const shortened = (value: number): number => Math.round(value * 100) / 100

export function logitOf({ bias, weights }: Logistic, features: readonly number[]): number {
  return weights.reduce((sum, weight, at) => sum + weight * (features[at] ?? 0), bias)
}
