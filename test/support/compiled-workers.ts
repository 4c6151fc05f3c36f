import { pathToFileURL } from 'node:url'
import { workerModule as sourceModule } from '../../src/core/work/worker-module.ts'
import { COMPILED, ROOT } from './compiled.ts'

export { loaderArguments } from '../../src/core/work/worker-module.ts'

const SOURCES = pathToFileURL(`${ROOT}/src/`).href

/** The compiled form of a worker in `src`. Workers of tests stay as they are. */
export function workerModule(name: string, callerUrl: string): URL {
  const { href } = sourceModule(name, callerUrl)
  if (!href.startsWith(SOURCES)) return new URL(href)
  return new URL(href.slice(SOURCES.length).replace(/\.ts$/u, '.js'), COMPILED)
}
