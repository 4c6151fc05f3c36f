import { Command, CommanderError, Help, type Option } from 'commander'
import { addAbCommand } from './commands/ab.ts'
import { addContextualizeCommand } from './commands/contextualize.ts'
import { addDemoCommand } from './commands/demo.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addFlagsCommand } from './commands/flags.ts'
import { addGoldenCommand } from './commands/golden.ts'
import { addIngestCommand } from './commands/ingest.ts'
import { addMcpCommand } from './commands/mcp.ts'
import { addProjectCommand } from './commands/project.ts'
import type { OpenLiveCollection } from './commands/replay/live-collection.ts'
import { addReplayCommand } from './commands/replay/replay.ts'
import { addRerankServerCommand } from './commands/reranker/rerank-server.ts'
import { addWarmCommand } from './commands/reranker/warm.ts'
import { addServeCommand } from './commands/serve.ts'
import { addTenantsCommand } from './commands/tenants.ts'
import { ConfigError, loadConfig, startedByNpm } from './config.ts'
import { messageOf, StowageError } from './core/errors.ts'
import { NAMED_PLANS } from './pipeline/plan/named-plans.ts'
import { printable } from './text/printable.ts'
import { VERSION } from './wiring/version.ts'

/** Exit codes: 0 success, 1 failure, 2 wrong command line or configuration. */
const FAILED = 1
const MISUSED = 2
/** What a shell reports for a program that SIGPIPE ended. Node ignores that signal. */
const PIPE_CLOSED = 141

// The reader of a pipe has gone, as `head` does: nobody wants the rest. Without a listener Node ends with a stack trace.
for (const stream of [process.stdout, process.stderr]) stream.on('error', endQuietly)

const program = new Command('stowage')
  .description('Context-packing middleware for RAG on Qdrant')
  .version(VERSION)
  .exitOverride()
  .configureHelp({ optionDescription: option => new Help().optionDescription(withTellingDefault(option)) })
  // The whole help would push the message off the screen.
  .showHelpAfterError('see --help')

// Servers, clients and models are loaded by the command that needs them: `--help` should not wait for them.
const wiring = () => import('./wiring/commands.ts')
const openCollection: OpenLiveCollection = async address => (await wiring()).openLiveCollection(address)
const terminal = { out: process.stdout, progress: process.stderr }

addServeCommand(program, {
  start: async overrides => (await import('./wiring/serve/start.ts')).startService(overrides),
  out: process.stdout,
  process,
  startedByNpm: startedByNpm(),
})
addRerankServerCommand(program, {
  start: async options => (await import('./wiring/rerank/server.ts')).startRerankServer(options),
  out: process.stdout,
  process,
  startedByNpm: startedByNpm(),
})
addMcpCommand(program, {
  open: async options => (await import('./wiring/mcp/stdio.ts')).openStdioService(options),
  input: process.stdin,
  out: process.stdout,
  process,
})
addIngestCommand(program, {
  ...terminal,
  open: async (...wanted) => (await wiring()).openIngest(...wanted),
  findProject: async name => (await wiring()).findProject(name),
})
addProjectCommand(program, {
  out: process.stdout,
  open: async () => (await wiring()).openProjectCommand(),
  now: () => new Date(),
})
addContextualizeCommand(program, {
  ...terminal,
  open: async target => (await import('./wiring/contexts/contextualize.ts')).openContextualize(target),
})
addWarmCommand(program, {
  ...terminal,
  open: async where => (await import('./wiring/rerank/warm.ts')).openWarm(where),
})
addReplayCommand(program, {
  ...terminal,
  plans: () => ({ ...NAMED_PLANS, [loadConfig().plan.name]: loadConfig().plan }),
  open: async where => (await wiring()).openReplay(where),
  openCollection,
})
addGoldenCommand(program, {
  input: process.stdin,
  out: process.stdout,
  openCollection,
  openDocuments: async set => (await wiring()).openGoldenDocuments(set),
  countTokens: async () => (await wiring()).referenceTokens(),
})
addDemoCommand(program, {
  ...terminal,
  open: async onProgress => (await import('./wiring/demo.ts')).openDemo(onProgress),
})
addDoctorCommand(program, { out: process.stdout, open: async where => (await wiring()).openDoctor(where) })
addAbCommand(program, { ...terminal, fetch })
addFlagsCommand(program, {
  out: process.stdout,
  open: async () => (await wiring()).openFlagsCommand(),
  plan: () => loadConfig().plan,
  faultsOfPlan: async plan => (await wiring()).faultsOfTreatment(plan),
})
addTenantsCommand(program, { ...terminal, surroundings: loadConfig, now: () => new Date() })

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = exitCodeOf(error)
}

function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(PIPE_CLOSED)
  throw error
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED
  const lines = messageOf(error).split('\n')
  process.stderr.write(`stowage: ${lines.map(line => printable(line)).join('\n')}\n`)
  if (error instanceof ConfigError) return MISUSED
  if (error instanceof StowageError) return error.code === 'bad_request' ? MISUSED : FAILED
  if (error instanceof Error && error.stack && process.argv.includes('--verbose'))
    process.stderr.write(`${error.stack}\n`)
  return FAILED
}

/** An option as its help shows it: `false` of a switch tells nothing, and what a list is by default stands in the description. */
function withTellingDefault(option: Option): Option {
  const tells = option.defaultValue !== false && !Array.isArray(option.defaultValue)
  return tells ? option : Object.create(option, { defaultValue: { value: undefined } })
}
