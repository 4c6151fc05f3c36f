import { expect, it } from 'vitest'
import { createReporter } from '../../src/observe/events.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { createMetrics } from '../../src/observe/metrics.ts'

it('an experiment has its series of failures and of its rollback from its first request on', async () => {
  const metrics = createMetrics({ processMetrics: false })
  const reporter = createReporter({ metrics, logger: createLogger({ level: 'silent' }) })
  const assignment = { experiment: 'cut', variant: 'control', unit: 'session', share: 0.9 } as const
  const answered = { failed: false, seconds: 0.1, recallProxy: 1, tokens: 100 }
  reporter.experimentObserved({ outcome: { assignment, unitId: 'one', endpoint: 'context', ...answered } })
  const page = await metrics.registry.metrics()
  expect(page).toContain('stowage_experiment_requests_total{experiment="cut",variant="control",outcome="ok"} 1\n')
  // A rate over a series that appears with its first failure would miss that failure.
  expect(page).toContain('stowage_experiment_requests_total{experiment="cut",variant="control",outcome="failed"} 0\n')
  expect(page).toContain('stowage_experiment_rolled_back{experiment="cut"} 0\n')
})
