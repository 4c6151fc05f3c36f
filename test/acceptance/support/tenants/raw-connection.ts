import { connect, type Socket } from 'node:net'

export interface WireAnswer {
  status: number
  /** Head and body as they came, the framing of chunks included. */
  bytes: string
  body: string
}

const NO_ANSWER_MS = 60_000

/** Sends requests as raw bytes over one connection, and opens another when the server has ended it. */
export class RawConnection {
  readonly #url: URL
  #socket: Socket | null = null

  constructor(url: string) {
    this.#url = new URL(url)
  }

  /** @param method decides whether the answer has a body */
  send(request: Buffer, method: string): Promise<WireAnswer> {
    const reused = this.#socket !== null
    const socket = this.#open()
    return new Promise((resolve, reject) => {
      const parts: Buffer[] = []
      const settle = (finish: () => void) => {
        clearTimeout(giveUp)
        socket.off('data', onData).off('close', onClose)
        finish()
      }
      const onData = (part: Buffer) => {
        parts.push(part)
        const answer = readWireAnswer(Buffer.concat(parts).toString('latin1'), method, false)
        if (answer === null) return
        if (answer.closes) this.close()
        settle(() => resolve(answer))
      }
      const onClose = () => {
        this.#socket = null
        const answer = readWireAnswer(Buffer.concat(parts).toString('latin1'), method, true)
        // The server ends connections that were idle for long, which on a busy machine can meet a request on its way.
        if (reused && parts.length === 0) settle(() => resolve(this.send(request, method)))
        else
          settle(() =>
            answer === null ? reject(new Error('the connection ended without an answer')) : resolve(answer),
          )
      }
      // Far longer than any answer takes: a request that is not answered is a failure, not a test that never ends.
      const giveUp = setTimeout(() => {
        this.close()
        settle(() => reject(new Error('no answer')))
      }, NO_ANSWER_MS)
      socket.on('data', onData).on('close', onClose)
      socket.write(request)
    })
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = null
  }

  #open(): Socket {
    if (this.#socket !== null && !this.#socket.destroyed) return this.#socket
    const socket = connect(Number(this.#url.port), this.#url.hostname)
    socket.on('error', () => {})
    socket.setNoDelay(true)
    this.#socket = socket
    return socket
  }
}

/** The final answer in latin-1 text; null when more bytes are needed. */
function readWireAnswer(text: string, method: string, ended: boolean): (WireAnswer & { closes: boolean }) | null {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd < 0) return null
  const head = text.slice(0, headEnd)
  const status = Number(head.slice(9, 12))
  const rest = text.slice(headEnd + 4)
  if (status < 200) return readWireAnswer(rest, method, ended)
  const closes = /^connection: *close/im.test(head)
  const answer = (body: string) => ({ status, bytes: text, body: Buffer.from(body, 'latin1').toString(), closes })
  if (method === 'HEAD' || status === 204 || status === 304) return answer('')
  const length = /^content-length: *(\d+)/im.exec(head)?.[1]
  if (length !== undefined) return rest.length >= Number(length) ? answer(rest.slice(0, Number(length))) : null
  if (/^transfer-encoding: *chunked/im.test(head)) return rest.endsWith('0\r\n\r\n') ? answer(rest) : null
  return ended ? answer(rest) : null
}
