import { createQdrantAdmin } from '../../adapters/qdrant/admin.ts'
import type { ProjectCommandDependencies } from '../../commands/project.ts'
import { readPlanFile } from '../../config/plan-file.ts'
import { loadConfig } from '../../config.ts'
import { badRequest } from '../../core/errors.ts'
import { openExisting } from '../upstream.ts'
import { openProjects } from './open-projects.ts'

/** For `stowage project`. */
export const openProjectCommand: ProjectCommandDependencies['open'] = async () => {
  const config = loadConfig()
  return {
    ...openProjects(config),
    readPlan: async path => {
      const { changes, faults } = readPlanFile(path, `--plan ${path}`)
      if (changes === null) throw badRequest(faults.join('; '))
      const named = changes.named === null ? {} : { STOWAGE_PLAN: changes.named.name }
      return { ...named, ...Object.fromEntries(changes.overrides.map(({ path, value }) => [path, value])) }
    },
    deleteCollection: async (name, where) => {
      const upstream = await openExisting(config, where)
      try {
        return await createQdrantAdmin(upstream).deleteCollection(name)
      } finally {
        await upstream.close()
      }
    },
  }
}
