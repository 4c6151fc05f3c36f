import type { Readable, Writable } from 'node:stream'
import type { Command } from 'commander'
import { nonEmpty } from './option-values.ts'
import { type Signalled, untilSignalled } from './serve.ts'

export interface McpOptions {
  /** The tenant whose points, collections and traces the tools see; absent: everything. */
  tenant?: string
}

export interface StdioService {
  /** Resolves when the client has closed its end. */
  serve(input: Readable, out: Writable): Promise<void>
  close(): Promise<void>
}

interface McpCommandDependencies {
  open(options: McpOptions): Promise<StdioService>
  input: Readable
  /** Belongs to the protocol: nothing else is written there. */
  out: Writable
  process: Signalled
}

const EXAMPLE = `
Example, for a client that starts it:
  {"mcpServers": {"stowage": {"command": "npx", "args": ["stowage", "mcp"], "env": {"QDRANT_URL": "http://localhost:6333"}}}}`

/** Adds `stowage mcp`: tools for agents on stdin and stdout, until the client closes them or a signal comes. */
export function addMcpCommand(program: Command, { open, input, out, process }: McpCommandDependencies): void {
  program
    .command('mcp')
    .description('serve the tools for agents on stdin and stdout (Model Context Protocol)')
    .option('--tenant <name>', 'see what this tenant of TENANTS_FILE sees (default: everything)', nonEmpty)
    .addHelpText('after', EXAMPLE)
    .action(async (options: McpOptions) => {
      const service = await open(options)
      try {
        await Promise.race([service.serve(input, out), untilSignalled(process)])
      } finally {
        // An open stdin would keep the process.
        input.destroy()
        await service.close()
      }
    })
}
