import http from 'node:http'
import https from 'node:https'
import { IDLE_CONNECTION_MS } from '../../qdrant/client.ts'
import { pathPrefix } from '../../qdrant/paths.ts'
import { MAX_HEADER_BYTES } from '../../qdrant/raw-headers.ts'

/** The server that requests are forwarded to, with a connection pool. */
export interface UpstreamTarget {
  /** `Host` of the upstream. An ingress in front of it routes by this header. */
  readonly host: string
  /** The raw request target of the client below the path of the upstream URL. */
  pathFor(requestTarget: string): string
  /** Opens a request; `pooled: false` uses a new connection. Throws on a path or header that HTTP forbids. */
  open(options: {
    method: string
    path: string
    headers: string[]
    idleMs: number
    pooled: boolean
  }): http.ClientRequest
  close(): void
}

/** @param url `http(s)://host[:port][/prefix]` */
export function createUpstreamTarget(url: URL): UpstreamTarget {
  const secure = url.protocol === 'https:'
  const agentOptions = { keepAlive: true, timeout: IDLE_CONNECTION_MS, scheduling: 'lifo' } as const
  const agent = secure ? new https.Agent(agentOptions) : new http.Agent(agentOptions)
  // All connections lead to this server. Node would spell its address out for each request, twice.
  agent.getName = () => url.host
  const hostname = url.hostname.replace(/^\[|\]$/g, '')
  const port = url.port === '' ? undefined : Number(url.port)
  const openRequest = secure ? https.request : http.request
  const prefix = pathPrefix(url)
  return {
    host: url.host,
    pathFor: requestTarget => (requestTarget.startsWith('/') ? prefix + requestTarget : requestTarget),
    open: ({ method, path, headers, idleMs, pooled }) =>
      openRequest({
        hostname,
        port,
        method,
        path,
        headers,
        agent: pooled ? agent : false,
        timeout: idleMs,
        maxHeaderSize: MAX_HEADER_BYTES,
      }),
    close: () => agent.destroy(),
  }
}
