import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { keyHash } from '../../../src/tenants/keys.ts'
import { type RunningWorkers, startWorkers, WORKERS } from '../../cluster/support/workers.ts'
import { until } from '../support/wait.ts'

/** A worker that replaces another one begins with what the workers have accepted last, whatever the files hold by then. */

let folder: string
let stowage: RunningWorkers
afterEach(async () => {
  await stowage?.stop('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

const KEY = 'key of harbour'
const tenantsWith = (name: string) =>
  JSON.stringify({ tenants: { [name]: { keys: [{ sha256: keyHash(KEY) }], collections: ['docs'] } } })
const FLAGS = 'features: [{ name: stowage.dedupe, enabled: false }]\n'

async function startWithFiles() {
  folder = await mkdtemp(join(tmpdir(), 'stowage-replaced-'))
  const path = {
    tenants: join(folder, 'tenants.json'),
    flags: join(folder, 'flags.yaml'),
    plans: join(folder, 'plans'),
    plan: join(folder, 'plan.yaml'),
    rollbacks: join(folder, 'state', 'rollbacks.json'),
  }
  await mkdir(path.plans)
  await mkdir(join(folder, 'state'))
  await writeFile(path.tenants, tenantsWith('first'))
  await writeFile(path.flags, FLAGS)
  await writeFile(path.plan, 'packing.mode: sentence\n')
  await writeFile(join(path.plans, 'short.yaml'), 'CONTEXT_TOKEN_BUDGET: 500\n')
  stowage = await startWorkers({
    TENANTS_FILE: path.tenants,
    FLAGS_FILE: path.flags,
    PLANS_FOLDER: path.plans,
    STOWAGE_PLAN: path.plan,
    ROLLOUT_STATE_FILE: path.rollbacks,
  })
  return path
}

const ask = () => stowage.send('GET', '/collections', undefined, { 'api-key': KEY })

/** Kills every worker in turn, and waits each time until there are other ones. */
async function replaceAll(): Promise<void> {
  const old: number[] = []
  await until('every worker has answered', async () => {
    await ask()
    return stowage.workerPids().length === WORKERS || undefined
  })
  for (const pid of stowage.workerPids()) {
    old.push(pid)
    process.kill(pid, 'SIGKILL')
    await until('another worker answers', async () => {
      await ask().catch(() => null)
      return stowage.workerPids().length === WORKERS + old.length || undefined
    })
  }
}

it('starts although every file was refused or removed since, and names the faults', async () => {
  const path = await startWithFiles()
  await writeFile(path.tenants, tenantsWith('second'))
  stowage.signal('SIGHUP')
  await until('both workers have the second version', () => count('the tenants are replaced') === WORKERS || undefined)
  await writeFile(path.tenants, '{ "tenants": { "third": { "keys"')
  await writeFile(path.flags, 'features: [ {name: x')
  await rm(path.plans, { recursive: true })
  await rm(path.plan)
  await rm(join(folder, 'state'), { recursive: true })
  await replaceAll()

  const before = stowage.log().length
  const answers = await Promise.all(Array.from({ length: 3 * WORKERS }, ask))
  // Lines of the log come after their answers, and that of a request from before can be among them.
  const requests = await until('the log has all requests', async () => {
    const lines = stowage
      .log()
      .slice(before)
      .filter(({ route }) => route !== undefined)
    return lines.length >= answers.length ? lines : undefined
  })
  expect(new Set(requests.map(({ tenant }) => tenant))).toEqual(new Set(['second']))
  await until('the new workers have found the faults', async () => {
    const { text } = await stowage.send('GET', '/readyz')
    const checks = (JSON.parse(text) as { checks: { name: string; ok: boolean }[] }).checks
    return ['tenants', 'flags'].every(wanted => checks.some(({ name, ok }) => name === wanted && !ok)) || undefined
  })
  expect(stowage.written.err).not.toContain('Bad configuration')
})

const count = (message: string) => stowage.log().filter(({ msg }) => msg === message).length
