import pino, { type DestinationStream, type Logger } from 'pino'

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export type { Logger }

/** JSON lines on stderr, so that stdout stays free for data. Keys and tokens of clients never reach a line. */
export function createLogger({ level, destination }: { level: LogLevel; destination?: DestinationStream }): Logger {
  return pino(
    { name: 'stowage', level, redact: ['apiKey', '*.apiKey', '*["api-key"]', '*.authorization'] },
    destination ?? pino.destination({ dest: 2, sync: true }),
  )
}
