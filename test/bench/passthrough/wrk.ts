import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

export interface Call {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  /** JSON, or null for none. */
  body: string | null
}

/** Times in milliseconds. */
export interface Load {
  requests: number
  perSecond: number
  p50: number
  p95: number
  p99: number
}

/** Writes the call where wrk reads it. */
export async function writeScript(folder: string, name: string, { method, path, body }: Call): Promise<string> {
  const file = join(folder, `${name}.lua`)
  const content = body === null ? '' : `wrk.body = ${luaText(body)}\nwrk.headers["content-type"] = "application/json"`
  await writeFile(file, `wrk.method = "${method}"\nwrk.path = "${path}"\n${content}\n${REPORT}`)
  return file
}

/**
 * Loads a server from a process of its own: each connection sends its next request when it has the answer to the last. So the times are those
 * of a server that is as busy as these connections can make it, and say nothing of requests that come at their own pace.
 * @throws Error when a request fails
 */
export async function load(url: string, script: string, connections: number, seconds: number): Promise<Load> {
  const line = ['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '-s', script, url]
  const { stdout } = await execute('wrk', line)
  const { failed, ...measured } = JSON.parse(stdout.slice(stdout.lastIndexOf('\n{'))) as Load & { failed: number }
  if (failed > 0) throw new Error(`${failed} requests to ${url} failed`)
  return measured
}

const REPORT = `done = function(summary, latency)
  local errors = summary.errors
  io.write(string.format('\\n{"requests":%d,"perSecond":%f,"p50":%f,"p95":%f,"p99":%f,"failed":%d}\\n',
    summary.requests, summary.requests / (summary.duration / 1e6),
    latency:percentile(50) / 1e3, latency:percentile(95) / 1e3, latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end`

/** A long bracket, which takes every character of JSON as it is. */
function luaText(text: string): string {
  return `[==[${text}]==]`
}
