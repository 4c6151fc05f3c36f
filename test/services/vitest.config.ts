import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** `npm run test:services`: stowage with real services, which are installed when they are missing. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['test/services/**/*.test.ts'],
    globalSetup: ['test/services/support/install.ts'],
    // Each file starts its own services. One file at a time keeps them quick on two cores.
    fileParallelism: false,
    // These end a test that hangs. They must not end one on a machine that is slow or busy.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})
