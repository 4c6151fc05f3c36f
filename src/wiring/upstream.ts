import { type Config, diskFault } from '../config.ts'
import { badRequest } from '../core/errors.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../embedded/server.ts'

/** The Qdrant behind stowage: a real server, or the embedded engine on a loopback port. */
export interface Upstream {
  url: string
  apiKey: string | null
  embedded: boolean
  close(): Promise<void>
}

/**
 * @param where address from the command line; replaces the configured one
 * @param engineUrl the embedded engine of another process, which is used in place of one of its own
 */
export async function openUpstream(
  { settings }: Config,
  where: { url?: string; apiKey?: string } = {},
  engineUrl: string | null = null,
): Promise<Upstream> {
  if (engineUrl !== null) return { url: engineUrl, apiKey: null, embedded: true, close: async () => {} }
  const url = where.url ?? settings.QDRANT_URL
  if (url === undefined) {
    const server = await startEngine(settings.EMBEDDED_PATH)
    return { url: server.url, apiKey: where.apiKey ?? null, embedded: true, close: () => server.close() }
  }
  // The configured key belongs to the configured server and is not sent to another one.
  const configuredKey = where.url === undefined ? settings.QDRANT_API_KEY : undefined
  return { url, apiKey: where.apiKey ?? configuredKey ?? null, embedded: false, close: async () => {} }
}

/**
 * For commands on collections that are there already: an engine in memory would hold none.
 * @throws StowageError bad_request when neither the command line nor the settings say where the collections are
 */
export async function openExisting(config: Config, where: { url?: string; apiKey?: string }): Promise<Upstream> {
  const { QDRANT_URL, EMBEDDED_PATH } = config.settings
  if (where.url === undefined && QDRANT_URL === undefined && EMBEDDED_PATH === undefined)
    throw badRequest('no place with collections: give --url, or set QDRANT_URL or EMBEDDED_PATH')
  return openUpstream(config, where)
}

/** @throws ConfigError when the folder cannot be used */
async function startEngine(path: string | undefined): Promise<EmbeddedServer> {
  if (path === undefined) return startEmbeddedServer()
  try {
    return await startEmbeddedServer({ path })
  } catch (error) {
    throw diskFault('EMBEDDED_PATH', path, error)
  }
}
