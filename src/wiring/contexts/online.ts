import type { ProjectFolder } from '../../adapters/projects/project-folder.ts'
import type { Member } from '../../cluster/member.ts'
import type { Config } from '../../config.ts'
import { createUpsertNotice, type WrittenPoints } from '../../contextualize/online/notice-upserts.ts'
import { createOnlineContexts } from '../../contextualize/online/online-contexts.ts'
import { StowageError } from '../../core/errors.ts'
import type { Reporter } from '../../observe/events.ts'
import type { Project } from '../../projects/project.ts'
import { createTokenizer } from '../../text/tokens.ts'
import { OnlineCollections, type OnlineCollectionsOptions } from './online/collections.ts'
import { OnlineWriters } from './online/writers.ts'

interface OnlineDependencies extends OnlineCollectionsOptions {
  /** Null for a process alone. Of workers, the first one writes the contexts, because the state on the disk is locked. */
  member: Member | null
  projects: Pick<ProjectFolder, 'list'>
  reporter: Reporter
}

/** How long the end waits for the batch in flight, in milliseconds: a part of the time that `serve` has. */
const GRACE_MS = 3_000

/** Opens the queue of the points that clients write and that get contexts. It does nothing for collections without a project with contexts. */
export async function openOnlineContexts(
  config: Config,
  { member, projects, reporter, ...options }: OnlineDependencies,
) {
  const { mappings } = options
  const writers = new OnlineWriters(config, createTokenizer(config.plan.tokenizerModel).count, reporter)
  const collections = new OnlineCollections(config, writers, options)
  const watched = await watchOnlineProjects(projects)
  const online = createOnlineContexts({
    find: name => {
      const project = watched.find(name)
      if (project === null) return null
      return { hasModel: project.context?.writer !== 'rules', mapping: mappings[name] }
    },
    open: async (name, lane) => {
      const project = watched.find(name)
      if (project === null) throw new StowageError('collection_not_found', `no project has contexts for ${name}`)
      return collections.open(project, lane)
    },
    onLost: ({ lane, ...event }) =>
      reporter.contextsLost({ ...event, model: lane === 'rules' ? writers.rules.model : modelOf(config) }),
    onPaused: event => reporter.contextsPaused(event),
    onQueued: event => reporter.contextsQueued(event),
    mostPoints: config.settings.CONTEXT_QUEUE_POINTS,
  })
  const offer = (points: WrittenPoints) =>
    member !== null && !member.start.isFirst ? member.peers.tellFirst('pointsWritten', points) : online.offer(points)
  member?.peers.on('pointsWritten', points => online.offer(points))
  return {
    noticeUpserts: createUpsertNotice({
      isWanted: name => watched.find(name) !== null,
      onWritten: points => offer(points),
      onUnread: event =>
        reporter.contextsLost({ ...event, model: writers.rules.model, points: null, outcome: 'dropped' }),
    }),
    get pauses(): readonly string[] {
      return online.pauses
    },
    close: async (): Promise<void> => {
      watched.close()
      await online.close(GRACE_MS)
      collections.close()
    },
  }
}

/** The label of the model that a project asks. */
const modelOf = ({ settings }: Config): string => settings.CONTEXT_MODEL ?? 'none'

/** The writers that metrics can name. */
export const contextModels = ({ settings: { CONTEXT_MODEL: model } }: Config): string[] =>
  model === undefined ? ['rules'] : ['rules', model]

/** How long a change of a project can take to be seen, in milliseconds. */
const REFRESH_MS = 5_000

/** The projects that want contexts for new points, by their collection, as they were at most 5 s ago. It reads the projects now and again every few seconds, so that no request waits for a file. A file with faults is passed over. */
async function watchOnlineProjects(projects: Pick<ProjectFolder, 'list'>) {
  let byCollection = new Map<string, Project>()
  async function refresh(): Promise<void> {
    const { projects: all } = await projects.list()
    const found = new Map<string, Project>()
    for (const project of all) {
      const isOn = project.context !== undefined && project.context.writer !== 'off'
      if (isOn && !found.has(project.collection)) found.set(project.collection, project)
    }
    byCollection = found
  }
  await refresh().catch(() => {})
  // Those of before stay when the folder cannot be read.
  const timer = setInterval(() => void refresh().catch(() => {}), REFRESH_MS)
  timer.unref()
  return { find: (collection: string) => byCollection.get(collection) ?? null, close: () => clearInterval(timer) }
}
