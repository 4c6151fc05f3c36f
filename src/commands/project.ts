import Table from 'cli-table3'
import { type Command, Option } from 'commander'
import { badRequest, StowageError } from '../core/errors.ts'
import { CHUNKINGS, type Chunking } from '../core/types.ts'
import { type FindProject, PROJECT_NAME, PROJECT_VERSION, type Project, readProject } from '../projects/project.ts'
import {
  ADDRESS_KEY,
  ADDRESS_URL,
  type Address,
  collected,
  nameOption,
  nonEmpty,
  numberOption,
  pathOption,
  urlOption,
} from './option-values.ts'

export interface ProjectCommandDependencies {
  out: NodeJS.WritableStream
  open(): Promise<ProjectEnvironment>
  now(): Date
}

/** The stored projects, and the server with their collections. */
interface ProjectEnvironment {
  find: FindProject
  list(): Promise<{ projects: Project[]; faults: string[] }>
  create(project: Project): Promise<void>
  remove(name: string): Promise<boolean>
  /** The values of a plan file. @throws StowageError when it cannot be used */
  readPlan(path: string): Promise<Record<string, unknown>>
  /** Deletes a collection; false when there is none. @throws StowageError `bad_request` without a place */
  deleteCollection(name: string, where: Address): Promise<boolean>
}

interface CreateFlags {
  collection: string
  chunking?: Chunking
  chunkTokens?: number
  overlap?: number
  encoder?: string
  model?: string
  baseUrl?: string
  dimensions?: number
  queryPrefix?: string
  passagePrefix?: string
  context?: string
  contextPrompt?: string
  plan?: string
  set: string[]
  map: string[]
}

const EXAMPLES = `
Examples:
  $ stowage project create handbook --collection handbook --chunk-tokens 300
  $ stowage project create wiki --collection wiki --encoder voyage --model voyage-4 --set rerank.blend=0.5
  $ stowage ingest ./handbook --project handbook
  $ stowage project delete handbook --yes`

/** Adds `stowage project create|list|show|delete`. */
export function addProjectCommand(program: Command, dependencies: ProjectCommandDependencies): void {
  const project = program
    .command('project')
    .description('name a collection together with its chunking, encoder, contexts and plan')
    .addHelpText('after', EXAMPLES)
  project
    .command('create')
    .description('store a new project; what is left out is as the settings say')
    .argument('<name>', 'name of the project', nameOption(PROJECT_NAME))
    .requiredOption('--collection <name>', 'collection of the project', nonEmpty)
    .addOption(new Option('--chunking <way>', 'how documents are cut').choices(CHUNKINGS))
    .option('--chunk-tokens <tokens>', 'target size of the chunks', numberOption(16, 8_000))
    .option('--overlap <share>', 'share of this size that a chunk repeats', numberOption(0, 0.5, { whole: false }))
    .option('--encoder <kind>', 'local, openai, voyage, cohere or none; its key stays in its variable', nonEmpty)
    .option('--model <name>', 'model of the encoder', nonEmpty)
    .option('--base-url <url>', 'address of its endpoint', nonEmpty)
    .option('--dimensions <number>', 'length of its vectors', numberOption(1, 65_536))
    .option('--query-prefix <text>', 'text before every query', nonEmpty)
    .option('--passage-prefix <text>', 'text before every passage', nonEmpty)
    .option('--context <writer>', 'writer of contexts: rules, openai, anthropic or off', nonEmpty)
    .option('--context-prompt <file>', 'file with the prompt of the writer', pathOption)
    .option('--plan <file>', 'plan file, whose values are copied into the project', pathOption)
    .option('--set <path=value>', 'a plan value; can be given several times', collected, [])
    .option(
      '--map <field=path>',
      'payload path of a field, for a collection of others; can be given several times',
      collected,
      [],
    )
    .action((name: string, flags: CreateFlags) => create(name, flags, dependencies))
  project
    .command('list')
    .description('list the projects')
    .option('--json', 'print them as JSON')
    .action((flags: { json?: boolean }) => list(flags, dependencies))
  project
    .command('show')
    .description('print a project as JSON')
    .argument('<name>', 'name of the project')
    .action((name: string) => show(name, dependencies))
  project
    .command('delete')
    .description('delete a project; its collection stays')
    .argument('<name>', 'name of the project')
    .option('--yes', 'really delete it')
    .option('--url <url>', `with --with-collection: ${ADDRESS_URL}`, urlOption)
    .option('--api-key <key>', ADDRESS_KEY, nonEmpty)
    .option('--with-collection', 'delete its collection with all points too')
    .action((name: string, flags: { yes?: boolean; withCollection?: boolean }) => remove(name, flags, dependencies))
}

async function create(name: string, flags: CreateFlags, { open, out, now }: ProjectCommandDependencies): Promise<void> {
  const { collection, chunking, chunkTokens, overlap, context, contextPrompt } = flags
  const projects = await open()
  const changes = { ...(flags.plan && (await projects.readPlan(flags.plan))), ...pairs(flags.set, '--set') }
  const encoder = given({
    ...{ kind: flags.encoder, model: flags.model, base_url: flags.baseUrl, dimensions: flags.dimensions },
    ...{ query_prefix: flags.queryPrefix, passage_prefix: flags.passagePrefix },
  })
  const asked = given({
    ...{ version: PROJECT_VERSION, name, created_at: now().toISOString(), collection },
    chunking: given({ strategy: chunking, tokens: chunkTokens, overlap }),
    encoder,
    context: given({ writer: context, prompt_file: contextPrompt }),
    plan: given(changes),
    mapping: given(pairs(flags.map, '--map')),
  })
  const { project, faults } = readProject(asked, name)
  if (project === null) throw badRequest(`The project cannot be stored:\n  ${faults.join('\n  ')}`)
  await projects.create(project)
  out.write(`project ${name} created\n`)
}

/** An object without its undefined values; undefined when nothing is left. */
function given(values: Record<string, unknown>): Record<string, unknown> | undefined {
  const set = Object.entries(values).filter(([, value]) => value !== undefined)
  return set.length === 0 ? undefined : Object.fromEntries(set)
}

function pairs(texts: readonly string[], option: string): Record<string, string> {
  return Object.fromEntries(
    texts.map(text => {
      const at = text.indexOf('=')
      if (at < 1) throw badRequest(`${option} ${text}: give a name, = and a value`)
      return [text.slice(0, at), text.slice(at + 1)]
    }),
  )
}

async function list({ json }: { json?: boolean }, { open, out }: ProjectCommandDependencies): Promise<void> {
  const { projects, faults } = await (await open()).list()
  if (json) out.write(`${JSON.stringify(projects)}\n`)
  else {
    const table = new Table({
      head: ['project', 'collection', 'encoder', 'chunks', 'contexts', 'plan values'],
      style: { head: [], border: [] },
    })
    for (const { name, collection, encoder, chunking, context, plan = {} } of projects) {
      const model = encoder && [encoder.kind, encoder.model].filter(part => part !== undefined).join(' ')
      const size = chunking?.tokens === undefined ? '' : `${chunking.tokens} tokens`
      table.push([name, collection, model ?? '', size, context?.writer ?? '', Object.keys(plan).join('\n')])
    }
    out.write(projects.length === 0 ? 'There are no projects.\n' : `${table}\n`)
  }
  if (faults.length > 0) throw new StowageError('unprocessable', faults.join('\n'))
}

async function show(name: string, { open, out }: ProjectCommandDependencies): Promise<void> {
  const project = await projectNamed(name, (await open()).find)
  out.write(`${JSON.stringify(project, null, 2)}\n`)
}

/** The collection goes first: while the project is there, a delete that failed can be repeated. */
async function remove(
  name: string,
  { yes, withCollection, ...where }: { yes?: boolean; withCollection?: boolean } & Address,
  { open, out }: ProjectCommandDependencies,
): Promise<void> {
  const projects = await open()
  if (!yes) {
    const also = withCollection ? ' and its collection with all points' : ''
    throw badRequest(`This deletes the project ${name}${also}. Repeat the command with --yes.`)
  }
  if (withCollection) {
    const { collection } = await projectNamed(name, projects.find)
    const wasThere = await projects.deleteCollection(collection, where)
    out.write(`collection ${collection} ${wasThere ? 'deleted' : 'is not there'}\n`)
  }
  if (!(await projects.remove(name))) throw unknownProject(name)
  out.write(`project ${name} deleted\n`)
}

/** @throws StowageError `not_found` for an unknown project */
export async function projectNamed(name: string, find: FindProject): Promise<Project> {
  const project = await find(name)
  if (project === null) throw unknownProject(name)
  return project
}

function unknownProject(name: string): StowageError {
  return new StowageError('not_found', `There is no project ${name}. \`stowage project list\` shows all.`)
}
