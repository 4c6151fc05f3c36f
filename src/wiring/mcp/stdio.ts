import { Console } from 'node:console'
import type { McpOptions, StdioService } from '../../commands/mcp.ts'
import { loadConfig } from '../../config.ts'
import { badRequest } from '../../core/errors.ts'
import { openTogether } from '../../core/work/opened.ts'
import { type McpCaller, openCaller, tenantCaller } from '../../mcp/caller.ts'
import { createLogger } from '../../observe/logger.ts'
import { type Gateway, openGateway } from '../gateway.ts'

/** For `stowage mcp`. Whoever starts it reads the settings and the keys in them, so no key is asked for. */
export async function openStdioService({ tenant }: McpOptions): Promise<StdioService> {
  // A library that prints would break the protocol.
  globalThis.console = new Console(process.stderr)
  const config = loadConfig()
  const logger = createLogger({ level: config.settings.LOG_LEVEL })
  const onFault = (detail: string) => logger.warn({ detail }, 'message not understood')
  return openTogether(async opened => {
    const gateway = opened.keep(await openGateway(config, logger))
    const callerNow = () => callerNamed(tenant, gateway)
    // An unknown tenant is an error now, not at the first message.
    callerNow()
    const mcp = await gateway.openMcp()
    return { serve: (input, out) => mcp.serveStdio(callerNow, { input, out, onFault }), close: opened.close }
  })
}

/** @throws StowageError `bad_request` for a tenant that the file does not declare */
function callerNamed(name: string | undefined, { tenants, upstream }: Gateway): McpCaller {
  if (name === undefined) return openCaller(upstream.apiKey)
  const tenant = tenants?.tenants.find(one => one.name === name)
  if (tenant === undefined)
    throw badRequest(
      `--tenant ${name}: ${tenants === null ? 'TENANTS_FILE is not set' : 'TENANTS_FILE declares no such tenant'}`,
    )
  return tenantCaller(tenant)
}
