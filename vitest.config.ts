import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'

/** Folders whose tests share modules in one process. Loading them for each file would take longer than the tests. */
const SHARED = [
  'adapters/contexts',
  'adapters/flags',
  'adapters/judge',
  'adapters/qdrant',
  'client',
  'commands',
  'contexts',
  'contextualize',
  'core',
  'doctor',
  'drop-in',
  'embedded',
  'evaluation',
  'flags',
  'grafana',
  'http',
  'ingest',
  'ingestion-guard',
  'intent',
  'mcp',
  'observe',
  'pack',
  'pipeline',
  'projects',
  'qdrant',
  'rank',
  'relay',
  'rollout',
  'statistics',
  'tenants',
  'text',
  'ui',
  'wiring',
].map(folder => `test/${folder}/**/*.test.ts`)

// These need real services: `npm run test:services`.
const SERVICES = 'test/services/**'

export default defineConfig({
  // The examples import what readers of the package import.
  resolve: { alias: { 'stowage/client': fileURLToPath(new URL('src/client/index.ts', import.meta.url)) } },
  test: {
    globalSetup: ['test/support/compile.ts', 'test/support/temporary-folder.ts'],
    setupFiles: ['test/support/seed.ts'],
    // By default, one core is kept free: on two cores the suite would take twice as long.
    maxWorkers: '100%',
    // These end a test that hangs. They must not end one on a machine that is slow or busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, SERVICES, ...SHARED],
        },
      },
      { extends: true, test: { name: 'parts', include: SHARED, isolate: false } },
    ],
  },
})
