import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { startRecordingServer } from '../../support/recording-server.ts'
import { send } from '../../support/send.ts'
import { openStowage } from '../../support/stowage.ts'
import { startProcess } from '../support/process.ts'
import { describeWith, folderOf } from '../support/programs.ts'
import { freePort, until } from '../support/wait.ts'

const PAGE = fileURLToPath(new URL('../../../docs/deploy.md', import.meta.url))
const UPLOAD_BYTES = 3_000_000

describeWith('nginx')('stowage behind nginx, as docs/deploy.md has it', () => {
  it('gets requests and uploads of any size, over connections that are kept', async () => {
    const bodies: number[] = []
    const qdrant = await startRecordingServer(({ body }) => {
      bodies.push(body.length)
      return { body: '{"result":true,"status":"ok","time":0}', headers: { 'content-type': 'application/json' } }
    })
    const stowage = await openStowage({ QDRANT_URL: qdrant.url })
    const folder = await mkdtemp(join(tmpdir(), 'stowage-nginx-'))
    const port = await freePort()
    const [, documented = ''] = /```nginx\n([\s\S]*?)```/u.exec(await readFile(PAGE, 'utf8')) ?? []
    const servers = documented
      .replace('127.0.0.1:6433', new URL(stowage.url).host)
      .replace('listen 8080', `listen 127.0.0.1:${port}`)
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      name => `${name}_temp_path ${folder}/${name};`,
    )
    const http = [`access_log off;`, ...paths, servers].join('\n')
    const file = join(folder, 'nginx.conf')
    await writeFile(file, `daemon off; pid ${folder}/pid; error_log stderr;\nevents {}\nhttp {\n${http}\n}\n`)
    const nginx = await startProcess({
      program: join(folderOf('nginx'), 'nginx'),
      line: ['-p', folder, '-c', file],
      environment: {},
    })
    try {
      const url = `http://127.0.0.1:${port}`
      await until('nginx passes on', async () => (await send(url, 'GET', '/healthz')).status === 200)
      const upload = JSON.stringify({ points: [{ id: 1, vector: [1], payload: { text: 'x'.repeat(UPLOAD_BYTES) } }] })
      expect((await send(url, 'PUT', '/collections/docs/points?wait=true', upload)).status).toBe(200)
      expect(Math.max(...bodies)).toBe(upload.length)
      expect((await send(url, 'GET', '/v1/openapi.json')).status).toBe(200)
    } finally {
      await nginx.stop()
      await stowage.close()
      await qdrant.close()
      await rm(folder, { recursive: true })
    }
  })
})
