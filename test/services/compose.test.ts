import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { type Postgres, startPostgres } from './support/postgres.ts'
import { type Running, startProcess } from './support/process.ts'
import { describeWith } from './support/programs.ts'
import { type Prometheus, startPrometheus } from './support/prometheus.ts'
import { runStowage, type StowageProcess, startEngine, startStowage } from './support/stowage.ts'
import { startUnleash, type Unleash } from './support/unleash.ts'
import { until } from './support/wait.ts'

/**
 * The processes of docker-compose.yml, started by hand in its order and with its environment. Other than in Docker: addresses, the
 * embedded engine in place of Qdrant, the sources in place of the image, a scrape each second, and no Grafana.
 */
const fileAt = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const read = (path: string) => readFileSync(fileAt(path), 'utf8')

interface Service {
  environment: Record<string, string>
  command: string[]
  volumes?: string[]
}
const { services } = parse(read('docker-compose.yml'), { merge: true }) as { services: Record<string, Service> }

/** Variables of a service, with the addresses and paths that its parts have here. */
function environmentOf(name: string, addresses: Readonly<Record<string, string>>): Record<string, string> {
  const mounts = (services[name]?.volumes ?? []).map(volume => volume.split(':'))
  const here = {
    ...addresses,
    ...Object.fromEntries(mounts.map(([source = '', target = '']) => [target, fileAt(source)])),
  }
  return Object.fromEntries(
    Object.entries(services[name]?.environment ?? {}).map(([variable, value]) => [
      variable,
      Object.entries(here).reduce((text, [there, own]) => text.replace(there, own), value),
    ]),
  )
}

describeWith(
  'postgres',
  'unleash',
  'prometheus',
)('the processes of docker-compose.yml', () => {
  let engine: Awaited<ReturnType<typeof startEngine>>
  let postgres: Postgres
  let unleash: Unleash
  let stowage: StowageProcess
  let prometheus: Prometheus
  let traffic: Running

  beforeAll(async () => {
    engine = await startEngine()
    postgres = await startPostgres()
    const { DATABASE_URL: _inDocker, ...ofUnleash } = environmentOf('unleash', {})
    unleash = await startUnleash(postgres.url, ofUnleash)
    const addresses = { 'http://qdrant:6333': engine.url, 'http://unleash:4242/api': unleash.url }
    for (const name of ['ingest-acme', 'ingest-beta'])
      await runStowage(services[name]?.command ?? [], {
        ...environmentOf(name, addresses),
        // As in the image, where nothing sets them.
        EMBEDDER: '',
        RERANKER: '',
      })
    stowage = await startStowage({ ...environmentOf('stowage', addresses), EMBEDDER: '', RERANKER: '' })
    prometheus = await startPrometheus(configured(stowage.url))
    traffic = await startProcess({
      program: process.execPath,
      line: [fileAt('packaging/compose/traffic.js')],
      cwd: fileAt('.'),
      environment: { STOWAGE: stowage.url },
    })
  }, 600_000)
  afterAll(async () => {
    await traffic?.stop()
    await prometheus?.close()
    await stowage?.stop()
    await unleash?.close()
    await postgres?.close()
    await engine?.stop()
  })

  const untilData = (expression: string, mostMs?: number) =>
    until(
      `${expression} has data`,
      async () => {
        const found = await prometheus.query(expression)
        return found.length > 0 ? found : null
      },
      { pauseMs: 500, ...(mostMs !== undefined && { mostMs }) },
    )

  test('move: Prometheus sees requests of both tenants, flags, both variants and shadow runs', async () => {
    for (const expression of [
      'up{job="stowage"} == 1',
      'increase(stowage_tenant_requests_total{tenant="acme", outcome="ok"}[1m]) > 0',
      'increase(stowage_tenant_requests_total{tenant="beta", outcome="ok"}[1m]) > 0',
      'increase(stowage_requests_total{endpoint="context", outcome="ok"}[1m]) > 0',
      'increase(stowage_requests_total{endpoint="points", outcome="ok"}[1m]) > 0',
      'stowage_flags_source_up == 1',
      'stowage_flags_unknown == 0',
      'stowage_flag_decisions_total{flag="stowage.improve", value="on", source="unleash"} > 0',
      'stowage_experiment_requests_total{experiment="passages-or-sentences", variant="control", outcome="ok"} > 0',
      'stowage_experiment_requests_total{experiment="passages-or-sentences", variant="sentences", outcome="ok"} > 0',
      'stowage_shadow_runs_total{outcome="compared"} > 0',
    ])
      await untilData(expression)
    expect(traffic.output()).toBe('')
  })

  test('let an operator sign in, and show a flag that is flipped for one tenant', async () => {
    const { UNLEASH_DEFAULT_ADMIN_USERNAME: username, UNLEASH_DEFAULT_ADMIN_PASSWORD: password } =
      services.unleash?.environment ?? {}
    const signedIn = await fetch(`${new URL(unleash.url).origin}/auth/simple/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password }),
    })
    expect(signedIn.status).toBe(200)
    await unleash.admin.turn('stowage.sentence-mode', 'on')
    const modeOf = async (tenant: string) => {
      const question = { query: 'Who is Isharoth?', collection: 'isharoth', budget_tokens: 800, trace: true }
      const answer = await stowage.send<{ trace: { plan: { packing: { mode: string } } } }>(
        'POST',
        '/v1/context',
        { ...question, session_id: 'a-control-session' },
        { 'api-key': `demo-key-of-${tenant}` },
      )
      return answer.json.trace.plan.packing.mode
    }
    await until('acme packs sentences', async () => (await modeOf('acme')) === 'sentence')
    expect(await modeOf('beta')).toBe('passage')
  })
})

/** The committed configuration, with the address of this stowage and the paths of the repository. */
function configured(url: string): string {
  const mounts = (services.prometheus?.volumes ?? []).map(volume => volume.split(':'))
  const text = mounts.reduce(
    (changed, [source = '', target = '']) => changed.replaceAll(target, fileAt(source)),
    read('grafana/prometheus.yml'),
  )
  const config = parse(text)
  const [scrape] = config.scrape_configs
  return stringify({
    ...config,
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: (config.rule_files ?? []).map((path: string) => fileAt(`grafana/${path}`)),
    scrape_configs: [{ ...scrape, static_configs: [{ targets: [new URL(url).host] }] }],
  })
}
