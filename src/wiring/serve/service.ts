import type { RequestListener } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Member } from '../../cluster/member.ts'
import { isOfFirst, passOn, takePassedOn } from '../../cluster/pass-on.ts'
import type { RunningService } from '../../commands/serve.ts'
import type { Config } from '../../config.ts'
import { redactUrls } from '../../core/redact-urls.ts'
import { openTogether } from '../../core/work/opened.ts'
import { IDLE_MS } from '../../http/connection/drain.ts'
import { startServer } from '../../http/server.ts'
import type { Logger } from '../../observe/logger.ts'
import { type Gateway, openGateway } from '../gateway.ts'
import { startWarnings } from '../start-warnings.ts'
import { unwritableFiles } from './written-files.ts'

interface OpenedService extends RunningService {
  /** What an operator may have forgotten, one sentence each. */
  warnings: readonly string[]
  /** Where other workers reach this one alone, if it is the first; else null. */
  ownAddress: string | null
  /** @param portClosed resolves when a worker gets no more connections; a process alone closes its port by itself */
  close(graceMs: number, portClosed?: Promise<void>): Promise<void>
}

/** Opens everything and listens. @param member the worker that this process is; null for a process alone */
export function openService(
  config: Config,
  logger: Logger,
  address: { port: number; host: string },
  member: Member | null,
): Promise<OpenedService> {
  return openTogether(async opened => {
    const gateway = opened.keep(await openGateway(config, logger, member))
    // The others know of it before they pass anything on.
    const own = member?.start.isFirst ? await startServer(...ownListener(gateway.app, member)) : null
    const server = await startServer(listenerOf(gateway.app, config, member), address)
    const { upstream, models, tenants } = gateway
    const { unavailable, warnings: modelWarnings } = models
    const operators = tenants?.operators ?? null
    const { host } = address
    const unwritable = await unwritableFiles(config)
    return {
      url: server.url,
      ownAddress: own?.url ?? null,
      warnings: startWarnings({
        ...{ config, embedded: upstream.embedded, host, unavailable, modelWarnings, unwritable, operators },
      }),
      description: {
        upstream: upstream.embedded ? 'embedded engine' : redactUrls(upstream.url),
        plan: config.settings.STOWAGE_PLAN,
        ...(tenants && { tenants: String(tenants.tenants.length) }),
        'drop-in': config.settings.STOWAGE_DROPIN,
        embedder: models.embedder?.version ?? 'none',
        reranker: models.reranker?.model ?? 'none',
        ...(config.settings.UI && { page: `${server.url}/v1/ui` }),
      },
      ...reloading(gateway),
      close: async (graceMs, portClosed) => {
        // Meanwhile, others pass on to it what comes on their open connections.
        const othersAreIdle = own && portClosed?.then(() => pause(2 * IDLE_MS))
        await Promise.all([server.close(graceMs, portClosed), othersAreIdle])
        await own?.close(graceMs)
        await opened.close()
      },
    }
  })
}

function listenerOf(app: RequestListener, { settings }: Config, member: Member | null): RequestListener {
  if (member === null || member.start.isFirst) return app
  return (request, response) => {
    if (isOfFirst(request.url ?? '', settings.MCP)) passOn(request, response, member.first)
    else app(request, response)
  }
}

function ownListener(app: RequestListener, { start }: Member): Parameters<typeof startServer> {
  return [takePassedOn(app, start.secret), { port: 0, host: '127.0.0.1', exclusive: true }]
}

/** Without a file to read again, a signal to do so ends the process, as it ends every other. */
function reloading({ tenants, flags }: Gateway): Pick<RunningService, 'reload'> {
  if (tenants === null && flags.state().files === null) return {}
  return {
    reload: async () => {
      await Promise.all([tenants?.reload(), flags.reload()])
    },
  }
}
