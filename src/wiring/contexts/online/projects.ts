import type { ProjectFolder } from '../../../adapters/projects/project-folder.ts'
import type { Project } from '../../../projects/project.ts'

/** How long a change of a project can take to be seen, in milliseconds. */
const REFRESH_MS = 5_000

/** The projects that want contexts for new points, by their collection, as they were at most 5 s ago. */
interface OnlineProjects {
  find(collection: string): Project | null
  close(): void
}

/** Reads the projects now and again every few seconds, so that no request waits for a file. A file with faults is passed over. */
export async function watchOnlineProjects(projects: Pick<ProjectFolder, 'list'>): Promise<OnlineProjects> {
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
  return { find: collection => byCollection.get(collection) ?? null, close: () => clearInterval(timer) }
}
