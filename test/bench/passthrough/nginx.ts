import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Running, startProcess } from '../../services/support/process.ts'
import { freePort, until } from '../../services/support/wait.ts'
import type { ServerProcess } from '../server-process.ts'

/** nginx refuses longer texts in its configuration. */
const LONGEST_ANSWER = 4_000

/** Answers each path with a fixed JSON document, much faster than any Qdrant: what a proxy adds is then most of the time. */
export function startFixedAnswers(folder: string, answers: Readonly<Record<string, unknown>>): Promise<ServerProcess> {
  const locations = Object.entries(answers).map(([path, answer]) => {
    const json = JSON.stringify(answer)
    if (json.length > LONGEST_ANSWER || json.includes("'")) throw new Error(`nginx cannot hold the answer of ${path}`)
    return `location = ${path} { default_type application/json; return 200 '${json}'; }`
  })
  // The time that Qdrant gives an idle connection.
  return start(folder, 'fixed-answers', ['keepalive_timeout 5s;', ...locations])
}

/** A plain proxy with kept-alive connections to its upstreams, which take turns. */
export function startProxy(folder: string, ...upstreams: string[]): Promise<ServerProcess> {
  const servers = upstreams.map(upstream => `server ${new URL(upstream).host};`).join(' ')
  return start(folder, `proxy-${upstreams.length}`, [
    'location / { proxy_pass http://upstream; proxy_http_version 1.1; proxy_set_header Connection ""; }',
    `} upstream upstream { ${servers} keepalive 64;`,
  ])
}

/** One process, so that its processor time is that of the work. */
async function start(folder: string, name: string, inServer: readonly string[]): Promise<ServerProcess> {
  const [port, own] = [await freePort(), join(folder, name)]
  await mkdir(own)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    kind => `${kind}_temp_path ${own}/${kind};`,
  )
  const file = join(own, 'nginx.conf')
  await writeFile(
    file,
    [
      `daemon off; master_process off; pid ${own}/pid; error_log stderr error; events { worker_connections 1024; }`,
      `http { access_log off; keepalive_requests 100000000; client_max_body_size 64m; client_body_buffer_size 1m; ${temporary.join(' ')}`,
      `server { listen 127.0.0.1:${port};`,
      ...inServer,
      '} }',
    ].join('\n'),
  )
  const running: Running = await startProcess({
    program: 'nginx',
    line: ['-c', file],
    environment: { PATH: process.env.PATH ?? '' },
  })
  const url = `http://127.0.0.1:${port}`
  await until('nginx listens', () => fetch(url).then(() => true))
  return { url, pid: running.pid, stop: running.stop }
}
