import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/seed.ts'],
    // Tests that need longer say so with a name of test/support/timeouts.ts.
    // By default, one core is kept free: on two cores the suite would take twice as long.
    maxWorkers: '100%',
    testTimeout: 10_000,
    hookTimeout: 10_000,
  },
})
