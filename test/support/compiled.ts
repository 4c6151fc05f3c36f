import { fileURLToPath } from 'node:url'

/** The root of the repository, without a slash at its end. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/u, '')

/** Holds stowage as JavaScript while tests run. It is as deep as `src`, because modules look for `models` and `goldens` from where they are. */
export const COMPILED = new URL('../../.compiled/', import.meta.url)
