/** The upstream did not accept a connection in time. */
export class ConnectTimeout extends Error {
  constructor(ms: number) {
    super(`no connection within ${ms} ms`)
  }
}

/** Neither side of an open exchange sent a byte for too long. */
export class UpstreamSilence extends Error {
  constructor(ms: number) {
    super(`silent for ${ms} ms`)
  }
}

/** Whether a connection was closed under a request, as a pooled one may be at any moment. */
export function isReset(cause: unknown): boolean {
  return ['ECONNRESET', 'EPIPE'].includes(codeOf(cause))
}

/** Status and text for clients; addresses and other internals stay in the cause. */
export function explainFailure(cause: unknown): { status: number; message: string } {
  if (cause instanceof ConnectTimeout || cause instanceof UpstreamSilence) {
    return { status: 504, message: `Qdrant did not answer in time: ${cause.message}` }
  }
  const code = codeOf(cause)
  if (code === 'ETIMEDOUT') return { status: 504, message: 'Qdrant did not answer in time: connection timed out' }
  if (code === 'ECONNREFUSED') return { status: 502, message: 'Qdrant is not reachable: connection refused' }
  if (isReset(cause)) return { status: 502, message: 'Qdrant closed the connection before it answered' }
  if (code.startsWith('HPE_')) return { status: 502, message: `Qdrant's answer is not valid HTTP (${code})` }
  return { status: 502, message: `The request could not be forwarded to Qdrant${code === '' ? '' : ` (${code})`}` }
}

function codeOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : ''
  return typeof code === 'string' ? code : ''
}
