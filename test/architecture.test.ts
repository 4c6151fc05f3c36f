import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { groupBy } from '../src/core/collections.ts'

const ROOT = fileURLToPath(new URL('../src', import.meta.url))

interface Source {
  path: string
  floor: string
  lines: number
  text: string
  /** Paths under src/ that it imports, also late ones, with whether only types are. */
  imports: { path: string; typeOnly: boolean }[]
}

/** Floors from the bottom up: a file imports from floors below its own, or from its own folder. */
const FLOORS: readonly (readonly string[])[] = [
  ['core'],
  ['files', 'statistics', 'text'],
  ['qdrant'],
  ['contexts', 'intent', 'rank'],
  ['pack'],
  ['pipeline'],
  ['client', 'embedded', 'flags', 'observe', 'rollout', 'tenants', 'web'],
  ['config', 'http', 'ingest', 'projects'],
  ['contextualize', 'demo', 'doctor', 'drop-in', 'evaluation', 'ingestion-guard', 'relay', 'rerank-server'],
  ['adapters'],
  ['cluster'],
  ['commands', 'mcp', 'ui'],
  ['wiring'],
  ['cli', 'index'],
]
const PURE = ['core', 'statistics', 'text', 'intent', 'rank', 'pack']
const MOST_LINES = 300
const MOST_FILES = 14

const sources: Source[] = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter(path => /\.tsx?$/u.test(path))
  .map(path => {
    const text = readFileSync(join(ROOT, path), 'utf8')
    const imports = [
      ...text.matchAll(/(?:^(?:import|export)\s+(type\s+)?[^'"]*?from\s+|\bimport\()'(\.[^']+)'/gmu),
    ].map(([, type, target]) => ({
      path: posix.normalize(posix.join(dirname(path), target ?? '')),
      typeOnly: type !== undefined,
    }))
    return {
      path,
      floor: path.includes('/') ? (path.split('/')[0] ?? '') : path.replace('.ts', ''),
      lines: text.split('\n').length,
      text,
      imports,
    }
  })

const levelOf = (floor: string) => FLOORS.findIndex(floors => floors.includes(floor))
const floorOf = (path: string) => (path.includes('/') ? (path.split('/')[0] ?? '') : path.replace('.ts', ''))

describe('the house', () => {
  it('has every file on a known floor', () => {
    expect(sources.filter(({ floor }) => levelOf(floor) < 0).map(({ path }) => path)).toEqual([])
  })

  it('imports downwards only', () => {
    const upwards = sources.flatMap(({ path, floor, imports }) =>
      imports
        .filter(target => floorOf(target.path) !== floor && levelOf(floorOf(target.path)) >= levelOf(floor))
        .map(target => `${path} -> ${target.path}`),
    )
    expect(upwards).toEqual([])
  })

  it('has no cycle of imports, those of types included', () => {
    const graph = new Map(sources.map(({ path, imports }) => [path, imports.map(target => target.path)]))
    const done = new Set<string>()
    const cycles: string[] = []
    const visit = (path: string, trail: readonly string[]) => {
      if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '))
      if (done.has(path) || trail.includes(path)) return
      for (const next of graph.get(path) ?? []) visit(next, [...trail, path])
      done.add(path)
    }
    for (const path of graph.keys()) visit(path, [])
    expect(cycles).toEqual([])
  })

  it(`keeps files within ${MOST_LINES} lines`, () => {
    expect(sources.filter(({ lines }) => lines > MOST_LINES).map(({ path, lines }) => `${path}: ${lines}`)).toEqual([])
  })

  it(`keeps folders within ${MOST_FILES} files, and no family of files that share a first word`, () => {
    const folders = groupBy(sources, ({ path }) => dirname(path))
    const crowded = [...folders].filter(([, files]) => files.length > MOST_FILES).map(([folder]) => folder)
    const families = [...folders].flatMap(([folder, files]) =>
      // A module and its worker are one thing.
      [
        ...groupBy(
          files.filter(({ path }) => !path.endsWith('.worker.ts')),
          ({ path }) => basename(path).replace(/[-.].*/u, ''),
        ),
      ]
        .filter(([, family]) => family.length > 2)
        .map(([word]) => `${folder}/${word}-*`),
    )
    expect([...crowded, ...families]).toEqual([])
  })

  it('reads the environment in config.ts alone', () => {
    expect(
      sources.filter(({ path, text }) => path !== 'config.ts' && /process\.env/u.test(text)).map(({ path }) => path),
    ).toEqual([])
  })

  it('keeps clock, chance, network and log out of the pure floors', () => {
    const impure =
      /\bDate\.now|new Date\(\)|Math\.random|performance\.now|\bfetch\(|console\.|from 'node:(?!crypto|module)|setTimeout/u
    expect(
      sources.filter(({ floor, text }) => PURE.includes(floor) && impure.test(text)).map(({ path }) => path),
    ).toEqual([])
  })

  it('has adapters and the embedded engine meet only in the wiring', () => {
    const inner = (path: string) => /^(?:adapters|embedded)\//u.test(path)
    const users = sources.filter(({ floor }) => !['adapters', 'embedded', 'wiring'].includes(floor))
    const breaches = users.flatMap(({ path, imports }) =>
      imports
        .filter(target => !target.typeOnly && inner(target.path))
        .map(target => `${relative('.', path)} -> ${target.path}`),
    )
    expect(breaches).toEqual([])
  })
})
