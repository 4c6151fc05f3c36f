import { createLineFile, type LineFile } from '../../adapters/traces/jsonl-file.ts'
import type { Logger } from '../../observe/logger.ts'

/** `TRACE_FILE`. Of several processes the primary writes it, so that its faults are in the log once. */
export const openTraceFile = (path: string, logger: Logger): LineFile =>
  createLineFile({ path, onError: error => logger.error({ err: error }, `TRACE_FILE=${path}: cannot be written`) })
