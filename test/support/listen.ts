import type { AddressInfo, Server } from 'node:net'

/** Opens a server on a free port of loopback (or the given port) and gives its URL. */
export function listen(server: Server, port = 0): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', () => {
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    })
  })
}
