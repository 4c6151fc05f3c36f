import type { Config } from '../config.ts'
import { startEmbeddedServer } from '../embedded/server.ts'

/** The Qdrant behind stowage: a real one, or the embedded engine on a loopback port. One code path either way. */
export interface Upstream {
  url: string
  apiKey: string | null
  embedded: boolean
  close(): Promise<void>
}

/** @param path folder of the embedded engine when no QDRANT_URL is set; null keeps it in memory */
export async function openUpstream(
  { settings }: Config,
  path: string | null = settings.EMBEDDED_PATH ?? null,
): Promise<Upstream> {
  if (settings.QDRANT_URL) {
    return {
      url: settings.QDRANT_URL,
      apiKey: settings.QDRANT_API_KEY ?? null,
      embedded: false,
      close: async () => {},
    }
  }
  const server = await startEmbeddedServer(path === null ? {} : { path })
  return { url: server.url, apiKey: null, embedded: true, close: () => server.close() }
}
