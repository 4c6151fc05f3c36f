import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/**
 * `npm run test:services`: stowage with real services, which are installed when they are missing; stowage as a process under load, reloaded
 * and killed; and the promise of tenants with more requests.
 */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['test/services/**/*.test.ts', 'test/acceptance/tenant-isolation-*.test.ts'],
    env: { TENANT_REQUESTS: process.env.TENANT_REQUESTS ?? '12000' },
    globalSetup: ['test/support/compile.ts', 'test/services/support/install.ts'],
    setupFiles: ['test/support/seed.ts'],
    // Each file starts its own services. One file at a time keeps them quick on two cores.
    fileParallelism: false,
    // These end a test that hangs. They must not end one on a machine that is slow or busy.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})
