import { setFlagsFromString } from 'node:v8'
import type { ListenOverrides, RunningService } from '../../commands/serve.ts'
import { loadConfig } from '../../config.ts'
import { createLogger } from '../../observe/logger.ts'

/**
 * V8 collects garbage when the heap has doubled since the last collection, in each thread. By itself it waits longer, and 90 MB more are resident. Below 100 %,
 * large uploads pass through at half the speed, because their buffers count.
 */
export const EARLY_COLLECTION = '--heap-growing-percent=100'

/** For `stowage serve`: in this process, or in `WORKERS` processes below it. */
export async function startService(overrides: ListenOverrides): Promise<RunningService> {
  setFlagsFromString(EARLY_COLLECTION)
  const config = loadConfig()
  const logger = createLogger({ level: config.settings.LOG_LEVEL })
  const { port = config.settings.PORT, host = config.settings.HOST } = overrides
  // The primary loads nothing of what its workers do.
  if (config.settings.WORKERS > 1) {
    const { startPrimary } = await import('./primary.ts')
    return startPrimary(config, logger, { port, host })
  }
  const { openService } = await import('./service.ts')
  const { warnings, ...service } = await openService(config, logger, { port, host }, null)
  for (const warning of warnings) logger.warn(warning)
  return service
}
