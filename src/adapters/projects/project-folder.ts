import { randomUUID } from 'node:crypto'
import { link, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { compareText } from '../../core/collections.ts'
import { badRequest, messageOf, StowageError } from '../../core/errors.ts'
import { makeFolder } from '../../files/make-folder.ts'
import { PROJECT_NAME, type Project, readProject } from '../../projects/project.ts'
import { printable } from '../../text/printable.ts'
import { ignoreMissing } from '../ignore-missing.ts'

/** The projects of a folder, one JSON file each. Every call reads the files as they are now. */
export interface ProjectFolder {
  /** Null for an unknown name. @throws StowageError `unprocessable` with each fault of the file */
  find(name: string): Promise<Project | null>
  /** In the order of names, with what is wrong with files that cannot be used. */
  list(): Promise<{ projects: Project[]; faults: string[] }>
  /** @throws StowageError `bad_request` when there is such a project already */
  create(project: Project): Promise<void>
  /** Whether there was such a project. Its file goes even when it cannot be read. */
  remove(name: string): Promise<boolean>
}

export function openProjectFolder(folder: string): ProjectFolder {
  const pathOf = (name: string) => join(folder, `${name}.json`)

  async function find(name: string): Promise<Project | null> {
    if (!PROJECT_NAME.test(name)) return null
    const content = await readFile(pathOf(name), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      // Clients read this: it has no path.
      throw unusable(name, [`its file cannot be read (${error.code})`])
    })
    if (content === undefined) return null
    const { project, faults } = readProject(parsed(content, name), name)
    if (project === null) throw unusable(name, faults)
    if (project.name !== name) throw unusable(name, [`the file holds the project ${project.name}`])
    return project
  }

  return {
    find,
    list: async () => {
      const files = (await readdir(folder).catch(ignoreMissing)) ?? []
      const names = files.filter(file => file.endsWith('.json')).map(file => file.slice(0, -'.json'.length))
      const found = await Promise.all(
        names.sort(compareText).map(name => find(name).catch((error: Error) => error.message)),
      )
      return {
        projects: found.filter(one => one !== null && typeof one === 'object'),
        faults: found.filter(one => typeof one === 'string'),
      }
    },
    create: async project => {
      await makeFolder(folder)
      // A link never replaces a file, and the file is complete when it appears under its name.
      const next = join(folder, `.${project.name}.${randomUUID()}.next`)
      await writeFile(next, `${JSON.stringify(project, null, 2)}\n`, { flush: true })
      try {
        await link(next, pathOf(project.name))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
        throw badRequest(`There is a project ${project.name} already. Delete it first, or take another name.`)
      } finally {
        await rm(next, { force: true })
      }
    },
    remove: async name => {
      if (!PROJECT_NAME.test(name)) return false
      const removed = await rm(pathOf(name)).then(() => true, ignoreMissing)
      return removed ?? false
    },
  }
}

/** @throws StowageError `unprocessable` for what is no JSON */
function parsed(content: string, name: string): unknown {
  try {
    return JSON.parse(content)
  } catch (error) {
    throw unusable(name, [`its file is not valid JSON: ${printable(messageOf(error))}`])
  }
}

const unusable = (name: string, faults: readonly string[]): StowageError =>
  new StowageError('unprocessable', `The project ${name} cannot be used: ${faults.join('; ')}`)
