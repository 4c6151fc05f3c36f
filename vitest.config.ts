import { configDefaults, defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // These need real services: `npm run test:services`.
    exclude: [...configDefaults.exclude, 'test/services/**'],
    setupFiles: ['test/support/seed.ts'],
    // By default, one core is kept free: on two cores the suite would take twice as long.
    maxWorkers: '100%',
    // These end a test that hangs. They must not end one on a machine that is slow or busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
