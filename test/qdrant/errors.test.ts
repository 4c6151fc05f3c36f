import { request } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { describe, expect, it } from 'vitest'
import { StowageError } from '../../src/core/errors.ts'
import { failureOf, isReset } from '../../src/qdrant/errors.ts'

const withCode = (code: string, more = {}) => Object.assign(new Error(`${code} 10.1.2.3:6333`), { code, ...more })

describe('a failed exchange', () => {
  it.each<[string, unknown, string]>([
    ['a refused connection', withCode('ECONNREFUSED', { syscall: 'connect' }), 'upstream_unavailable'],
    ['a host without a route', withCode('EHOSTUNREACH', { syscall: 'connect' }), 'upstream_unavailable'],
    ['an unknown name', withCode('ENOTFOUND', { syscall: 'getaddrinfo' }), 'upstream_unavailable'],
    [
      'a host refused at each of its addresses',
      Object.assign(new AggregateError([withCode('ECONNREFUSED', { syscall: 'connect' })]), { code: 'ECONNREFUSED' }),
      'upstream_unavailable',
    ],
    [
      'what fetch makes of a refused connection',
      new TypeError('fetch failed', { cause: withCode('ECONNREFUSED', { syscall: 'connect' }) }),
      'upstream_unavailable',
    ],
    ['a reset', withCode('ECONNRESET', { syscall: 'read' }), 'upstream_error'],
    ['a broken pipe', withCode('EPIPE', { syscall: 'write' }), 'upstream_error'],
    ['a socket closed under undici', withCode('UND_ERR_SOCKET'), 'upstream_error'],
    ['an answer that is not HTTP', withCode('HPE_INVALID_CONSTANT'), 'upstream_error'],
    ['an answer that is too long', withCode('UND_ERR_RES_EXCEEDED_MAX_SIZE'), 'upstream_error'],
    ['a header that HTTP forbids', withCode('ERR_INVALID_CHAR'), 'upstream_error'],
    ['something else', 'a text', 'upstream_error'],
    ['a connection that took too long', withCode('ETIMEDOUT', { syscall: 'connect' }), 'upstream_timeout'],
    ['the same in undici', withCode('UND_ERR_CONNECT_TIMEOUT'), 'upstream_timeout'],
    ['an answer that took too long', withCode('UND_ERR_HEADERS_TIMEOUT'), 'upstream_timeout'],
    ['a silent answer', withCode('UND_ERR_BODY_TIMEOUT'), 'upstream_timeout'],
    ['a deadline', new DOMException('late', 'TimeoutError'), 'upstream_timeout'],
    ['an abort', AbortSignal.abort().reason, 'upstream_timeout'],
  ])('%s', (_name, cause, code) => {
    const failure = failureOf(cause)
    expect(failure).toMatchObject({ code, cause })
    expect(failure.message).not.toContain('10.1.2.3')
  })

  it('names the process itself when it has no descriptor left for the connection', () => {
    const failure = failureOf(withCode('EMFILE', { syscall: 'connect' }))
    expect(failure.code).toBe('upstream_unavailable')
    expect(failure.message).toMatch(/^stowage has no file descriptor left/u)
  })

  it('is late when it was aborted, and stays what it is when it is known', () => {
    expect(failureOf(withCode('ECONNRESET'), true).code).toBe('upstream_timeout')
    const known = new StowageError('forbidden', 'no')
    expect(failureOf(known, true)).toBe(known)
  })
})

describe('a reset', () => {
  it('is seen through what hides it', () => {
    expect(isReset(new TypeError('fetch failed', { cause: withCode('ECONNRESET') }))).toBe(true)
    expect(isReset(withCode('ECONNREFUSED', { syscall: 'connect' }))).toBe(false)
    expect(isReset(null)).toBe(false)
  })

  it('is what Node reports when a server hangs up, and a refusal when it is gone', async () => {
    const server = createServer(socket => void socket.once('data', () => socket.resetAndDestroy()))
    const failed = (port: number) =>
      new Promise<unknown>(resolve => request({ host: '127.0.0.1', port }).on('error', resolve).end())
    const port = await listening(server)
    expect(failureOf(await failed(port)).code).toBe('upstream_error')
    await new Promise(done => server.close(done))
    expect(failureOf(await failed(port)).code).toBe('upstream_unavailable')
  })
})

function listening(server: Server): Promise<number> {
  return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)))
}
