/** Module of a worker in the caller's folder, with the caller's extension: `.ts` in a clone, `.js` in a package. */
export function workerModule(name: string, callerUrl: string): URL {
  return new URL(`./${name}${callerUrl.endsWith('.ts') ? '.ts' : '.js'}`, callerUrl)
}

/** The `execArgv` of a worker. Workers do not inherit the TypeScript loader of this process. */
export function loaderArguments(script: URL): string[] {
  if (!script.pathname.endsWith('.ts')) return []
  const code = `import { register } from '${import.meta.resolve('tsx/esm/api')}'; register()`
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`]
}
