/** Seconds: from a cached answer to a slow rerank. */
export const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
export const STAGE_SECONDS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
export const TOKENS = [100, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000]
/** Shares in [0,1]. */
export const SHARES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1]
/** Ratios from 1 on. */
export const RATIOS_FROM_ONE = [1, 1.01, 1.02, 1.05, 1.1, 1.2, 1.35, 1.5, 2, 3, 5]
