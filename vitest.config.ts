import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'

const COMPILED_WORKERS = fileURLToPath(new URL('test/support/compiled-workers.ts', import.meta.url))

export default defineConfig({
  plugins: [
    // Each thread would load its TypeScript anew.
    {
      name: 'compiled workers',
      enforce: 'pre',
      resolveId: (source, importer) =>
        source.endsWith('/worker-module.ts') && importer !== COMPILED_WORKERS ? COMPILED_WORKERS : null,
    },
  ],
  // The examples import what readers of the package import.
  resolve: { alias: { 'stowage/client': fileURLToPath(new URL('src/client/index.ts', import.meta.url)) } },
  test: {
    include: ['test/**/*.test.ts'],
    // Those need real services: `npm run test:services`.
    exclude: [...configDefaults.exclude, 'test/services/**'],
    // Files share the modules of their process. Loading them for each file would take longer than most tests.
    isolate: false,
    globalSetup: ['test/support/compile.ts', 'test/support/temporary-folder.ts'],
    setupFiles: ['test/support/seed.ts'],
    // By default, one core is kept free: on two cores the suite would take twice as long.
    maxWorkers: '100%',
    // These end a test that hangs. They must not end one on a machine that is slow or busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
