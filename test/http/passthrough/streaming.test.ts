import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { deferred } from '../../support/deferred.ts'
import { exchangeBytes, readAnswer } from '../../support/raw-client.ts'
import { createStage } from '../../support/stage.ts'
import { proxyBefore, proxyBeforeBytes } from '../support/proxy-before.ts'

const stage = createStage()
afterEach(() => stage.close())

async function ask(url: string, bytes: Buffer) {
  return readAnswer(await exchangeBytes(url, [bytes]), 'PUT')
}

describe('a client that goes away', () => {
  test('while it waits: the upstream request is given up', async () => {
    const given = deferred<void>()
    const url = await proxyBefore(stage, (request, response) => {
      response.once('close', () => given.resolve())
      request.resume().once('end', () => client.destroy())
    })
    const client = http.get(url).on('error', () => {})
    await given.promise
  })

  test('in mid-upload: the upstream sees a broken body, not a short one', async () => {
    const seen = deferred<boolean>()
    const url = await proxyBefore(stage, request => {
      request.once('data', () => client.destroy())
      request.once('error', () => {})
      request.once('close', () => seen.resolve(request.complete))
    })
    const client = http.request(url, { method: 'PUT' }).on('error', () => {})
    client.write('half')
    expect(await seen.promise).toBe(false)
  })

  test('in mid-download: the upstream stops sending', async () => {
    const stopped = deferred<void>()
    const url = await proxyBefore(stage, (_request, response) => {
      const more = () => {
        while (response.write(Buffer.alloc(65_536))) if (response.destroyed) return
      }
      response.on('drain', more).once('close', stopped.resolve)
      more()
    })
    const client = http.get(url, response => response.once('data', () => client.destroy()))
    client.on('error', () => {})
    await stopped.promise
  })
})

describe('slow sides', () => {
  test('a client that does not read holds the upstream back', async () => {
    const written = { bytes: 0 }
    const url = await proxyBefore(stage, (_request, response) => {
      const more = () => {
        do written.bytes += 65_536
        while (written.bytes < 200_000_000 && response.write(Buffer.alloc(65_536)))
      }
      response.on('drain', more)
      more()
    })
    const client = http.get(url)
    const [response] = (await once(client, 'response')) as [IncomingMessage]
    response.pause()
    // That nothing more is written is no event: a pause without growth has to stand for it.
    let last = -1
    while (written.bytes !== last) {
      last = written.bytes
      await new Promise(done => setTimeout(done, 100))
    }
    expect(written.bytes).toBeLessThan(50_000_000)
    client.destroy()
  })

  test('an upstream that does not read holds the upload back', async () => {
    const url = await proxyBefore(stage, request => request.pause())
    const client = http.request(url, { method: 'PUT' }).on('error', () => {})
    // That no drain comes is no event either.
    let sent = 0
    while (sent < 200_000_000) {
      sent += 65_536
      if (client.write(Buffer.alloc(65_536))) continue
      const drained = once(client, 'drain').then(() => true)
      if (!(await Promise.race([drained, new Promise(done => setTimeout(() => done(false), 300))]))) break
    }
    expect(sent).toBeLessThan(50_000_000)
    client.destroy()
  })

  test('parts of an answer arrive as they are sent', async () => {
    const url = await proxyBefore(stage, (_request, response) => {
      response.write('first')
      void release.promise.then(() => response.end('last'))
    })
    const release = deferred<void>()
    const [response] = (await once(http.get(url), 'response')) as [IncomingMessage]
    const [part] = (await once(response, 'data')) as [Buffer]
    expect(part.toString()).toBe('first')
    release.resolve()
    await once(response, 'end')
  })
})

describe('uploads', () => {
  test('an answer that comes before the end of a large upload reaches the client', async () => {
    const url = await proxyBefore(stage, (request, response) => {
      request.once('data', () => {
        response.writeHead(413, { 'content-type': 'text/plain' })
        response.end('too much')
        request.resume()
      })
    })
    const length = 30_000_000
    const head = `PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`
    const answer = await ask(url, Buffer.concat([Buffer.from(head), Buffer.alloc(length)]))
    expect(answer.statusLine).toContain(' 413 ')
    expect(answer.body.toString()).toBe('too much')
  })

  test('an upstream that answers in full and closes on the upload: the answer is whole, the connection stays usable', async () => {
    const answered: Socket[] = []
    const { url } = await proxyBeforeBytes(stage, socket =>
      socket.once('data', () => {
        answered.push(socket)
        socket.write('HTTP/1.1 400 Bad Request\r\ncontent-length: 4\r\nconnection: close\r\n\r\nbusy')
      }),
    )
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    const statuses: (number | undefined)[] = []
    for (let i = 0; i < 2; i++) {
      const client = http.request(url, { method: 'PUT', agent, headers: { 'content-length': 5_000_000 } })
      client.end(Buffer.alloc(5_000_000))
      const [response] = (await once(client, 'response')) as [IncomingMessage]
      let body = ''
      for await (const part of response) body += part
      expect(body).toBe('busy')
      answered.pop()?.destroy()
      statuses.push(response.statusCode)
    }
    expect(statuses).toEqual([400, 400])
    agent.destroy()
  })

  test('Expect: 100-continue is the upstream’s to grant', async () => {
    const server = http.createServer((request, response) => request.pipe(response))
    server.on('checkContinue', (request, response) => {
      if (request.url === '/refuse') {
        response.writeHead(417)
        response.end()
      } else {
        response.writeContinue()
        server.emit('request', request, response)
      }
    })
    const { url } = await stage.serveBefore(await stage.listen(server))
    const send = (path: string) => {
      const continued: string[] = []
      const client = http.request(url + path, {
        method: 'PUT',
        headers: { expect: '100-continue', 'content-length': 4 },
      })
      client.on('continue', () => {
        continued.push('continue')
        client.end('body')
      })
      // After a refusal the connection is closed, with or without a reset.
      client.on('error', () => {})
      client.flushHeaders()
      return once(client, 'response').then(async ([response]: IncomingMessage[]) => {
        let body = ''
        for await (const part of response ?? []) body += part
        client.destroy()
        return { status: response?.statusCode, body, continued }
      })
    }
    expect(await send('/accept')).toEqual({ status: 200, body: 'body', continued: ['continue'] })
    expect(await send('/refuse')).toEqual({ status: 417, body: '', continued: [] })
  })
})
