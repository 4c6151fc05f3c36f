import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { BEAT_MS } from '../../cluster/hang-watch.ts'
import { createLine } from '../../cluster/line.ts'
import { createMember } from '../../cluster/member.ts'
import { ConfigError } from '../../config.ts'
import { messageOf } from '../../core/errors.ts'
import { ACCEPTING_MS } from '../../http/connection/quiet-port.ts'
import { createLogger } from '../../observe/logger.ts'
import { openService } from './service.ts'
import { EARLY_COLLECTION } from './start.ts'

/** The process of one worker of `stowage serve`. The primary alone decides when it ends. */

/** Time for the primary to answer, which does little else. */
const ANSWER_MS = 30_000

// Without the primary there is no port, and nobody who would end this process.
process.once('disconnect', () => process.exit(1))
// A terminal, and systemd, send these to all processes of a group. The primary tells what they mean.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})

const line = createLine(process)
setInterval(() => line.tell('beat', null), BEAT_MS).unref()
try {
  setFlagsFromString(EARLY_COLLECTION)
  const start = await line.ask('start', null, ANSWER_MS)
  const { config } = start
  const member = createMember(line, start)
  const service = await openService(config, createLogger({ level: config.settings.LOG_LEVEL }), start, member)
  line.on('reload', () => service.reload?.())
  const portClosed = new Promise<void>(resolve => line.on('portClosed', () => resolve()))
  line.on('stop', async ({ graceMs }) => {
    await service.close(graceMs, Promise.race([portClosed, pause(2 * ACCEPTING_MS)]))
    process.exit()
  })
  const { url, description, warnings, ownAddress, reload } = service
  const canReload = reload !== undefined
  await line.ask('listening', { url, description, warnings, ownAddress, canReload }, ANSWER_MS)
} catch (error) {
  const message = messageOf(error)
  await line.ask('failed', { message, faults: error instanceof ConfigError ? error.faults : null }, ANSWER_MS)
  process.exit(1)
}
