import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { Progress } from '@modelcontextprotocol/sdk/types.js'

/** What a tool answered. */
export interface ToolAnswer {
  text: string
  isError: boolean
}

interface CallOptions {
  signal?: AbortSignal
  onprogress?: (progress: Progress) => void
}

/** The official client of the protocol, connected. */
export async function connectAgent(transport: Transport) {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  return {
    client,
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name: string, args: Record<string, unknown> = {}, options: CallOptions = {}): Promise<ToolAnswer> => {
      const { content, isError = false } = await client.callTool({ name, arguments: args }, undefined, options)
      const [first] = content as { type: string; text: string }[]
      return { text: first?.text ?? '', isError: isError === true }
    },
    close: () => client.close(),
  }
}

/** The same over streamable HTTP. */
export function connectOverHttp(url: string, headers: Record<string, string> = {}) {
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } })
  // The types of the SDK leave out `undefined`, which this project is strict about.
  return connectAgent(transport as Transport)
}
