import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProcess } from './process.ts'
import { folderOf } from './programs.ts'
import { freePort, until } from './wait.ts'

/** One series of an answer: its labels, and the value as Prometheus prints it. */
export interface Sample {
  metric: Record<string, string>
  value: [seconds: number, value: string]
}

/** A real Prometheus. */
export type Prometheus = Awaited<ReturnType<typeof startPrometheus>>

/**
 * Starts Prometheus on a free port of loopback, with its data in a folder of its own.
 * @param config the text of `prometheus.yml`; relative paths in it are relative to `files`
 * @param files more files beside it, by name: rules, a key
 */
export async function startPrometheus(config: string, files: Readonly<Record<string, string>> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'stowage-prometheus-'))
  const port = await freePort()
  for (const [name, text] of Object.entries({ ...files, 'prometheus.yml': config }))
    await writeFile(join(folder, name), text)
  const running = await startProcess({
    program: join(folderOf('prometheus'), 'prometheus'),
    line: [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--enable-feature=exemplar-storage',
    ],
    cwd: folder,
    folder,
  })
  let ended = false
  void running.ended.then(() => {
    ended = true
  })
  const url = `http://127.0.0.1:${port}`
  await until('Prometheus is ready', async () => ended || (await fetch(`${url}/-/ready`)).ok)
  if (ended) throw new Error(`Prometheus ended at its start: ${running.output()}`)

  /** Reads one of Prometheus' own routes; `path` begins after `/api/v1`. */
  async function get<Data>(path: string, parameters: Record<string, string> = {}): Promise<Data> {
    const response = await fetch(`${url}/api/v1${path}?${new URLSearchParams(parameters)}`)
    const answer = (await response.json()) as { status: string; data: Data; error?: string }
    if (answer.status !== 'success') throw new Error(`${path} ${JSON.stringify(parameters)}: ${answer.error}`)
    return answer.data
  }

  return {
    url,
    get,
    /** The value of an expression now. Throws with Prometheus' own text when it is malformed. */
    query: async (expression: string): Promise<Sample[]> =>
      (await get<{ result: Sample[] }>('/query', { query: expression })).result,
    output: running.output,
    async close() {
      await running.stop('SIGTERM')
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

/** The path of `promtool`, which Debian's package brings too. */
export function promtool(): string {
  return join(folderOf('prometheus'), 'promtool')
}
