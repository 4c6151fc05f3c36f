import { join } from 'node:path'
import { openProjectFolder, type ProjectFolder } from '../../adapters/projects/project-folder.ts'
import { type Config, diskFault } from '../../config.ts'
import { StowageError } from '../../core/errors.ts'
import { readPlanChanges } from '../../pipeline/plan/changes.ts'
import type { FindRequestProject } from '../../pipeline/plan/project.ts'
import type { PayloadMappings } from '../../qdrant/payload/mappings.ts'

const DEFAULT_FOLDER = join('.stowage', 'projects')

/** The projects of the configuration: in their own folder, else beside the data of the embedded engine. */
export function openProjects({ settings: { PROJECTS_FOLDER: given, EMBEDDED_PATH: data } }: Config): ProjectFolder {
  const folder = given ?? (data === undefined ? DEFAULT_FOLDER : join(data, 'projects'))
  const projects = openProjectFolder(folder)
  const named = (error: unknown) => Promise.reject(diskFault('PROJECTS_FOLDER', folder, error))
  return {
    find: projects.find,
    list: () => projects.list().catch(named),
    create: project => projects.create(project).catch(named),
    remove: name => projects.remove(name).catch(named),
  }
}

/** How `/v1/context` finds projects. Plan values that need a reranker which is not loaded are refused, as everywhere. */
export function requestProjects(projects: ProjectFolder, { plan }: Config): FindRequestProject {
  return async name => {
    const project = await projects.find(name)
    if (project === null) return null
    const { changes, faults } = readPlanChanges(project.plan ?? {}, `${name}.plan`, plan.rerank.method)
    if (changes === null)
      throw new StowageError('unprocessable', `The project ${name} cannot be used: ${faults.join('; ')}`)
    return { collection: project.collection, changes }
  }
}

/**
 * The mappings of the settings, and those of projects as they are now. The settings win.
 * @throws ConfigError when the folder that the settings name cannot be read; that it is not there yet is no fault
 */
export async function mappingsWithProjects(projects: ProjectFolder, { settings }: Config): Promise<PayloadMappings> {
  const { PROJECTS_FOLDER: folder } = settings
  const { projects: all } = await projects.list().catch(error => {
    if (folder === undefined) return { projects: [] }
    throw error
  })
  const own = all.flatMap(({ collection, mapping }) => (mapping ? [[collection, mapping] as const] : []))
  return { ...Object.fromEntries(own), ...settings.MAPPINGS }
}
