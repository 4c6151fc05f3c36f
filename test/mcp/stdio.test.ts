import { PassThrough } from 'node:stream'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { describe, expect, it } from 'vitest'
import { serveStdio } from '../../src/mcp/transports/stdio.ts'

const SECRET = 'the salary of Ms Rivera'

/** The faults that a client with these lines makes. */
async function faultsOf(...lines: string[]): Promise<string[]> {
  const faults: string[] = []
  const input = new PassThrough()
  const out = new PassThrough()
  const server = new Server({ name: 'test', version: '1' }, { capabilities: {} })
  const served = serveStdio(server, { input, out, onFault: fault => faults.push(fault) })
  input.end(lines.map(line => `${line}\n`).join(''))
  await served
  return faults
}

describe('a message that cannot be used', () => {
  it.each([
    [SECRET, 'a line is not JSON'],
    [JSON.stringify({ [SECRET]: SECRET }), 'a line is not a message of JSON-RPC 2.0'],
    [JSON.stringify({ jsonrpc: '2.0', id: SECRET, result: { [SECRET]: SECRET } }), 'a message breaks the protocol'],
    [SECRET.repeat(500_000), 'a line is too long'],
  ])('is told by its kind, without its text: %.40s', async (line, fault) => {
    expect(await faultsOf(line)).toEqual([fault])
  })
})
