/** Limits of single tests in milliseconds, for those that take longer than the default of vitest.config.ts on a busy machine. */

/** Starts Node again, once or a few times: commands as a shell runs them, a process that is killed. */
export const CHILD_PROCESS_MS = 180_000
/** Loads models, or runs them over many texts. */
export const MODEL_MS = 120_000
/** Sends a thousand requests. */
export const MANY_REQUESTS_MS = 300_000
