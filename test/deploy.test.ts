import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { settingsSchema } from '../src/config/settings.ts'
import { loadConfig } from '../src/config.ts'
import { OWN_ROUTES } from '../src/http/description/own-routes.ts'

/** What can be wrong in the files for Kubernetes and systemd without either of them. `npm run test:services` lets systemd read the unit. */

const fileAt = (path: string) => fileURLToPath(new URL(`../packaging/${path}`, import.meta.url))
const read = (path: string) => readFileSync(fileAt(path), 'utf8')

interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string }
  // biome-ignore lint/suspicious/noExplicitAny: the content differs by kind
  [part: string]: any
}
const FOLDER = 'kubernetes'
const files = readdirSync(fileAt(FOLDER)).filter(name => name.endsWith('.yaml'))
const manifests = files.flatMap(name =>
  parseAllDocuments(read(`${FOLDER}/${name}`)).map(document => {
    expect(document.errors, name).toEqual([])
    return document.toJS() as Manifest
  }),
)
const one = (kind: string) => {
  const found = manifests.filter(manifest => manifest.kind === kind)
  expect(found, kind).toHaveLength(1)
  return found[0] as Manifest
}
const { settings } = loadConfig({})
const LABELS = { 'app.kubernetes.io/name': 'stowage' }
const dockerfile = read('Dockerfile')
/** The variables of a file of `NAME=value` lines, and of those that are commented out. */
const variablesOf = (path: string) =>
  Object.fromEntries(
    [...read(path).matchAll(/^#?([A-Z][A-Z0-9_]*)=(.*)$/gmu)].map(([, name, value]) => [name ?? '', value]),
  )
const pod = () => one('Deployment').spec.template.spec
const container = () => {
  expect(pod().containers).toHaveLength(1)
  return pod().containers[0]
}

describe('packaging/kubernetes', () => {
  it('lists every manifest, and none that is missing', () => {
    const { resources, configMapGenerator } = one('Kustomization')
    expect([...resources, 'kustomization.yaml'].sort()).toEqual(files.sort())
    for (const { envs } of configMapGenerator)
      for (const path of envs) expect(existsSync(fileAt(`${FOLDER}/${path}`))).toBe(true)
  })

  it('probes routes of stowage, at the port on which it listens by default', () => {
    const { ports, startupProbe, livenessProbe, readinessProbe } = container()
    const probes = { startupProbe, livenessProbe, readinessProbe }
    for (const [name, { httpGet }] of Object.entries<{ httpGet: { path: string; port: string } }>(probes)) {
      expect(Object.keys(OWN_ROUTES), name).toContain(`GET ${httpGet.path}`)
      expect(httpGet.port, name).toBe(ports[0].name)
    }
    expect(ports).toEqual([{ name: 'http', containerPort: settings.PORT }])
    expect(one('Service').spec.ports).toEqual([{ name: 'http', port: settings.PORT, targetPort: 'http' }])
    expect(one('NetworkPolicy').spec.ingress[0].ports).toEqual([{ port: 'http' }])
    const { annotations } = one('Deployment').spec.template.metadata
    expect(annotations['prometheus.io/port']).toBe(String(settings.PORT))
    expect(Object.keys(OWN_ROUTES)).toContain(`GET ${annotations['prometheus.io/path']}`)
    // The image listens on all addresses, else no probe would reach it.
    expect(dockerfile).toMatch(new RegExp(`^ENV .*HOST=0\\.0\\.0\\.0 PORT=${settings.PORT}$`, 'mu'))
  })

  it('restarts a pod only when it is not alive, and gives it the time that it needs at both ends', () => {
    const { startupProbe, livenessProbe, readinessProbe, lifecycle } = container()
    expect([startupProbe, livenessProbe].map(({ httpGet }) => httpGet.path)).toEqual(['/healthz', '/healthz'])
    expect(readinessProbe.httpGet.path).toBe('/readyz')
    expect(startupProbe.periodSeconds * startupProbe.failureThreshold).toBeGreaterThanOrEqual(60)
    // stowage asks Qdrant for up to 2 s.
    expect(readinessProbe.timeoutSeconds).toBeGreaterThan(2)
    const [, pause] = lifecycle.preStop.exec.command
    const grace = Number(
      /GRACE_MS = (\d)_000/u.exec(
        readFileSync(fileURLToPath(new URL('../src/commands/serve.ts', import.meta.url)), 'utf8'),
      )?.[1],
    )
    expect(pod().terminationGracePeriodSeconds).toBeGreaterThan(Number(pause) + grace + 7)
  })

  it('runs as the user of the image, who is not root, and writes nothing', () => {
    const { securityContext } = pod()
    expect(dockerfile).toContain(`\nUSER ${securityContext.runAsUser}:${securityContext.runAsGroup}\n`)
    expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
    expect(securityContext.runAsUser).toBeGreaterThan(0)
    expect(container().securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(pod()).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false })
  })

  it('sets variables that stowage knows, and no secrets', () => {
    const given = variablesOf(`${FOLDER}/settings.env`)
    expect(loadConfig(given).unknownVariables).toEqual([])
    const schemas = settingsSchema.shape as Record<string, { meta(): { secret?: boolean } | undefined }>
    for (const name of Object.keys(given)) expect([name, schemas[name]?.meta()?.secret ?? false]).toEqual([name, false])
    expect(given.QDRANT_URL).toBeDefined()
    const { envFrom } = container()
    const [generated] = one('Kustomization').configMapGenerator
    expect(envFrom).toEqual([
      { configMapRef: { name: generated.name } },
      { secretRef: { name: 'stowage', optional: true } },
    ])
  })

  it('points at its own pods everywhere, and keeps some of them running', () => {
    const [pairs] = one('Kustomization').labels
    expect(pairs).toEqual({ pairs: LABELS, includeSelectors: true })
    expect(one('NetworkPolicy').spec.podSelector.matchLabels).toEqual(LABELS)
    expect(one('PodDisruptionBudget').spec.selector.matchLabels).toEqual(LABELS)
    expect(pod().topologySpreadConstraints[0].labelSelector.matchLabels).toEqual(LABELS)
    const { scaleTargetRef, minReplicas } = one('HorizontalPodAutoscaler').spec
    const { apiVersion, kind, metadata, spec } = one('Deployment')
    expect(scaleTargetRef).toEqual({ apiVersion, kind, name: metadata.name })
    expect(minReplicas).toBeGreaterThan(1)
    expect(spec).not.toHaveProperty('replicas')
    expect(spec.strategy.rollingUpdate.maxUnavailable).toBe(0)
    // A share of the requested processor time: without a request, it is never scaled.
    expect(container().resources.requests.cpu).toBeDefined()
    expect(container().image).toBe(one('Kustomization').images[0].name)
  })
})

describe('packaging/systemd', () => {
  const unit = read('systemd/stowage.service')
  const optionOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'mu').exec(unit)?.[1]

  it('has an example of settings that stowage knows, also those that are commented out', () => {
    const { TENANTS_FILE, ...given } = variablesOf('systemd/stowage.env.example')
    expect(loadConfig(given).unknownVariables).toEqual([])
    expect(TENANTS_FILE).toBeDefined()
    expect(given.TRACE_FILE?.startsWith(`/var/lib/${optionOf('StateDirectory')}/`)).toBe(true)
  })

  it('starts the program of the package, and does not try again what cannot succeed', () => {
    expect(optionOf('ExecStart')).toBe('/usr/bin/node /opt/stowage/node_modules/stowage/src/stowage.js serve')
    expect(optionOf('RestartPreventExitStatus')).toBe('2')
    // V8 compiles to memory, so this would end it at once.
    expect(optionOf('MemoryDenyWriteExecute')).toBeUndefined()
    expect(optionOf('User')).toBe('stowage')
  })
})
