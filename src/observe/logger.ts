import pino, { type DestinationStream, type LevelWithSilent, type Logger } from 'pino'

export type { Logger }

/** Writes JSON lines to stderr, because stdout is for data. Keys and tokens of clients are redacted. */
export function createLogger(options: { level: LevelWithSilent; destination?: DestinationStream }): Logger {
  return pino(
    { name: 'stowage', level: options.level, redact: ['apiKey', '*.apiKey', '*["api-key"]', '*.authorization'] },
    options.destination ?? pino.destination({ dest: 2, sync: true }),
  )
}
