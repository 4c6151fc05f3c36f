import { StowageError } from '../../core/errors.ts'
import type { Caller } from '../caller.ts'
import type { PlanChanges } from './changes.ts'

/** What a request takes from its project. */
interface RequestProject {
  collection: string
  /** Null when the project has no plan values. */
  changes: PlanChanges | null
}

/** Finds a project as it is now; null for an unknown name. */
export type FindRequestProject = (name: string) => Promise<RequestProject | null>

/**
 * The project that a request names.
 * @throws StowageError `not_found` for an unknown project, and for one whose collection the tenant does not reach
 */
export async function projectOf(
  name: string,
  { tenant }: Pick<Caller, 'tenant'>,
  find: FindRequestProject,
): Promise<RequestProject> {
  // What is wrong with a project is told to nobody who may not reach its collection.
  const project = await find(name).catch(error => (tenant === null ? Promise.reject(error) : null))
  if (project === null || (tenant !== null && !tenant.reaches(project.collection)))
    throw new StowageError('not_found', `There is no project ${name}.`)
  return project
}
