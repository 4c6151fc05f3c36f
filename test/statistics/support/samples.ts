/** Differences for which SciPy computed the expected figures of the tests. */
export const GAINS = [0, 0, 0, 0.5, 1, 0, -1 / 3, 0, 0, 0.25, 1, 0, 0, 0.5, 0, -1, 0, 0, 1 / 3, 1]
export const GRADED = [0.9, 0.1, -0.3, 0.4, 0.25, 0.6, -0.1, 0.05]
