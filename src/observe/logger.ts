import pino, { type DestinationStream, type LevelWithSilent, type Logger } from 'pino'
import { redactUrls } from '../core/redact-urls.ts'
import { openLogLines } from './log-lines.ts'

export type { Logger }

/** Writes JSON lines to stderr, because stdout is for data. Keys of clients and secrets in URLs are redacted. */
export function createLogger(options: { level: LevelWithSilent; destination?: DestinationStream }): Logger {
  const logger = pino(
    {
      name: 'stowage',
      level: options.level,
      redact: ['apiKey', '*.apiKey', 'upstreamKey', '*.upstreamKey', '*["api-key"]', '*.authorization'],
      serializers: { err: describeError, detail: redactUrls },
    },
    options.destination ??
      openLogLines({
        onResumed: lines => logger.warn({ lines }, 'lines of the log were dropped: they could not be written'),
      }),
  )
  return logger
}

/** An error with its causes. Libraries name URLs in their messages. */
function describeError(error: Error): object {
  const fields = Object.entries(pino.stdSerializers.err(error))
  return Object.fromEntries(
    fields.map(([name, value]) => [name, typeof value === 'string' ? redactUrls(value) : value]),
  )
}
