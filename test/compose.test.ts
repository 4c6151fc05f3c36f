import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import packageJson from '../package.json' with { type: 'json' }
import { loadConfig } from '../src/config.ts'
import { keyHash } from '../src/tenants/keys.ts'
import unleashManifest from './services/unleash-server/package.json' with { type: 'json' }

/**
 * There is no Docker engine where the tests run, so they check what can be wrong in the files. `npm run test:services` starts
 * the same processes with the same settings.
 */
interface Service {
  image: string
  build?: { context: string; dockerfile: string }
  environment?: Record<string, string>
  volumes?: string[]
  ports?: string[]
  depends_on?: Record<string, { condition: string }>
  healthcheck?: { test?: string[]; disable?: boolean }
  profiles?: string[]
  read_only?: boolean
}

const fileAt = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const read = (path: string) => readFileSync(fileAt(path), 'utf8')
const compose: { services: Record<string, Service>; volumes: Record<string, unknown> } = parse(
  read('docker-compose.yml'),
  { merge: true },
)
const services = Object.entries(compose.services)
const dockerfile = read('packaging/Dockerfile')
const lock: { packages: Record<string, unknown> } = JSON.parse(read('package-lock.json'))

describe('docker-compose.yml', () => {
  it('names an exact version of every image that it does not build', () => {
    const pinned = /^[\w./-]+:v?\d+(?:\.\d+)*(?:-[\w.]+)?$/u
    expect(services.filter(([, { build, image }]) => !build && !pinned.test(image))).toEqual([])
    expect(
      services.map(([, { build }]) => build?.dockerfile).filter(path => path && !existsSync(fileAt(path))),
    ).toEqual([])
    expect(compose.services.unleash?.image).toBe(
      `unleashorg/unleash-server:${unleashManifest.dependencies['unleash-server']}`,
    )
  })

  it('waits only for services that exist, and for health only where it is checked', () => {
    const isChecked = (name: string) => {
      const { build, healthcheck } = compose.services[name] ?? {}
      return healthcheck?.test !== undefined || (build !== undefined && healthcheck?.disable !== true)
    }
    for (const [name, { depends_on = {} }] of services)
      for (const [needed, { condition }] of Object.entries(depends_on)) {
        expect(compose.services, `${name} needs ${needed}`).toHaveProperty([needed])
        if (condition === 'service_healthy') expect(isChecked(needed), `${name} needs ${needed} healthy`).toBe(true)
        // Whatever is started without a profile must not need what only a profile starts.
        expect(compose.services[needed]?.profiles ?? [], `${name} needs ${needed}`).toEqual(
          compose.services[needed]?.profiles ? compose.services[name]?.profiles : [],
        )
      }
    expect(dockerfile).toMatch(/^HEALTHCHECK /mu)
  })

  it('mounts files and volumes that exist, files of the repository for reading only', () => {
    for (const [name, { volumes = [] }] of services)
      for (const volume of volumes) {
        const [source = '', , mode] = volume.split(':')
        if (!source.startsWith('./')) expect(compose.volumes, name).toHaveProperty([source])
        else expect([existsSync(fileAt(source)), mode], `${name} mounts ${source}`).toEqual([true, 'ro'])
      }
  })

  it('opens ports of this machine only', () => {
    expect(services.flatMap(([, { ports = [] }]) => ports).filter(port => !port.startsWith('127.0.0.1:'))).toEqual([])
  })

  it('gives stowage settings that it knows, with the client token that Unleash knows', () => {
    const given = compose.services.stowage?.environment ?? {}
    const { settings, unknownVariables } = loadConfig({ ...given, TENANTS_FILE: fileAt(mountOf('/demo/tenants.yaml')) })
    expect(unknownVariables).toEqual([])
    expect(settings.UNLEASH_API_TOKEN).toBe(compose.services.unleash?.environment?.INIT_BACKEND_API_TOKENS)
    expect(compose.services.unleash?.environment?.DATABASE_URL).toContain(
      `:${compose.services['unleash-database']?.environment?.POSTGRES_PASSWORD}@unleash-database:`,
    )
    expect(mountOf('/demo/flags.json')).toBe('./packaging/compose/flags.json')
  })

  it('gives Prometheus the key of an operator, and the traffic the keys of tenants', () => {
    const { operators, tenants } = parse(read('packaging/compose/tenants.yaml'))
    expect(operators[0].sha256).toBe(keyHash(read(mountOf('/etc/prometheus/operator-key')).trim()))
    const scrape = parse(read('grafana/prometheus.yml')).scrape_configs[0]
    expect(scrape.authorization?.credentials_file).toBe('/etc/prometheus/operator-key')
    const traffic = read('packaging/compose/traffic.js')
    for (const [name, { keys }] of Object.entries<{ keys: { sha256: string }[] }>(tenants)) {
      const key = new RegExp(`${name}: '([^']+)'`, 'u').exec(traffic)?.[1] ?? ''
      expect(keys[0]?.sha256).toBe(keyHash(key))
    }
  })
})

describe('packaging/Dockerfile', () => {
  it('copies what exists and what .dockerignore lets in, and does not run as root', () => {
    const allowed = read('packaging/Dockerfile.dockerignore')
      .split('\n')
      .filter(line => line.startsWith('!'))
      .map(line => line.slice(1))
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+)$/gmu)].flatMap(([, paths = '']) =>
      paths.split(' ').slice(0, -1),
    )
    expect(copied.length).toBeGreaterThan(8)
    for (const path of copied) {
      expect(existsSync(fileAt(path)), path).toBe(true)
      expect(
        allowed.some(known => path === known || path.startsWith(`${known}/`)),
        path,
      ).toBe(true)
    }
    expect(dockerfile.lastIndexOf('\nUSER 1000:1000\n')).toBeGreaterThan(dockerfile.lastIndexOf('\nFROM '))
    expect(compose.services.stowage?.read_only).toBe(true)
  })

  it('copies each file that `npm run build` names', () => {
    const named = packageJson.scripts.build.match(/[\w./-]+\.(?:json|ts)\b/gu) ?? []
    expect(named).toContain('tsconfig.build.json')
    const [, build = ''] = dockerfile.split(/^FROM /mu)
    const copied = [...build.matchAll(/^COPY (.+)$/gmu)].flatMap(([, paths = '']) => paths.split(' ').slice(0, -1))
    expect(copied).toEqual(expect.arrayContaining(named))
  })

  it('has the folder of the volume in docs/deploy.md, for the user that it runs as', () => {
    const [, folder = ''] = /`-v stowage:(\S+) -e EMBEDDED_PATH=\1\//u.exec(read('docs/deploy.md')) ?? []
    expect(folder).toMatch(/^\/./u)
    expect(dockerfile.slice(0, dockerfile.indexOf('\nUSER '))).toContain(`\nRUN install -d -o 1000 -g 1000 ${folder}\n`)
  })

  it('runs on a version of Node that the package supports, the same in every stage', () => {
    const images = [...dockerfile.matchAll(/^FROM (?:--platform=\S+ )?(\S+)/gmu)].map(([, image]) => image)
    expect([...new Set(images), images.length]).toEqual(['node:24-bookworm-slim', 3])
  })

  it('keeps the native libraries of the machine that it is built for, and those exist for amd64 and arm64', () => {
    const native = 'node_modules/onnxruntime-node/bin/napi-v6'
    expect(dockerfile).toContain(`cd ${native} `)
    for (const machine of ['x64', 'arm64']) {
      const names = readdirSync(fileAt(`${native}/linux/${machine}`))
      expect(names).toEqual(expect.arrayContaining(['onnxruntime_binding.node', 'libonnxruntime.so.1']))
      expect(lock.packages, machine).toHaveProperty([`node_modules/@img/sharp-linux-${machine}`])
      expect(lock.packages, machine).toHaveProperty([`node_modules/@img/sharp-libvips-linux-${machine}`])
    }
    // What the build leaves out is there, else it would fail.
    expect(readdirSync(fileAt(native)).sort()).toEqual(['darwin', 'linux', 'win32'])
    expect(existsSync(fileAt('node_modules/onnxruntime-web'))).toBe(true)
  })
})

/** The file of the repository that a service finds at this path. */
function mountOf(target: string): string {
  const mounts = services.flatMap(([, { volumes = [] }]) => volumes)
  return mounts.find(mount => mount.split(':')[1] === target)?.split(':')[0] ?? `nothing is mounted at ${target}`
}
