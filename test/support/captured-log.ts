import { createReporter, type ReporterOptions } from '../../src/observe/events.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { createMetrics } from '../../src/observe/metrics.ts'

/** A reporter with its metrics, and the lines that it logs. */
export function capturedReporter(options: Partial<ReporterOptions> = {}) {
  const lines: Record<string, unknown>[] = []
  const logger = createLogger({ level: 'debug', destination: { write: line => void lines.push(JSON.parse(line)) } })
  const metrics = createMetrics({ processMetrics: false })
  return { lines, logger, metrics, reporter: createReporter({ metrics, logger, ...options }) }
}
