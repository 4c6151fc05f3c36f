import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { settingsSchema } from '../../src/config/settings.ts'
import { CONTEXT_FIELDS } from '../../src/contexts/payload-fields.ts'
import {
  ANSWERABLE_REASONS,
  CONTEXT_FALLBACKS,
  CONTEXT_FAULTS,
  DEGRADATIONS,
  DROP_REASONS,
  ERRORS,
  PASSTHROUGH_REASONS,
  ROLLBACK_TRIGGERS,
  STAGES,
  UPSERT_FAULTS,
  VERDICTS,
} from '../../src/core/vocabulary.ts'
import { RULE_NAMES } from '../../src/evaluation/ablation/rules.ts'
import { GOLDEN_FINDINGS } from '../../src/evaluation/golden-set/golden-findings.ts'
import { LOSS_STEP_NAMES } from '../../src/evaluation/loss/steps.ts'
import { MEASURE_NAMES } from '../../src/evaluation/metrics/measures.ts'
import { OWN_ROUTES } from '../../src/http/description/own-routes.ts'
import { compareResponseSchema, tracesQuerySchema } from '../../src/http/ui/schemas.ts'
import { TOOLS } from '../../src/mcp/tools/catalogue.ts'
import { createMetrics } from '../../src/observe/metrics.ts'
import { contextRequestSchema, contextResponseSchema } from '../../src/pipeline/context-request.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { PLAN_VALUES } from '../../src/pipeline/plan/plan-values.ts'
import { RELAY_PATHS } from '../../src/relay/paths.ts'
import { readTenantsFile } from '../../src/tenants/file/read.ts'
import { tenantsFileSchema } from '../../src/tenants/file/schema.ts'
import { ALLOWABLE_OPERATIONS, ROUTES } from '../../src/tenants/guard/routes/table.ts'
import { keyHash } from '../../src/tenants/keys.ts'
import { generatedSections, sectionsOf, withSections } from './support/generated-sections.ts'
import { readPages } from './support/pages.ts'

const pages = readPages()
const everyPage = pages.map(({ path, text }) => [path, text] as const)

/** Words of Qdrant, of payloads and of other programs that the pages may name. */
const FOREIGN = new Set([
  ...CONTEXT_FIELDS,
  ...`with_payload with_vector score_threshold lookup_from order_by text_any has_id has_vector is_empty is_null values_count
  min_should update_filter update_mode group_by average_vector best_score sum_scores full_scan bool_index
  page_content doc_content text_segment _node_content document_id header_path chunk_index content_hash space_id is_tenant
  context_cache char_start char_end start_index start_char_idx shadow_of rolled_back duration_ms embedder_version order_index parent_id node_modules retry_after
  front_matter avg_len min_token_len phrase_matching geo_radius geo_bounding_box geo_polygon datetime_range set_payload with_lookup operation_id otel_trace_id point_id query_prefix passage_prefix input_type search_query search_document
  max_completion_tokens section_path page_start page_end encoding_format raw_scores return_text truncation_direction error_type model_id
  te_request_count te_request_success te_request_failure te_request_duration te_queue_size default_headers query_source no_answer unexpected_answer`.split(
    /\s+/,
  ),
])

const settings = new Set([
  ...Object.keys(settingsSchema.shape),
  ...PLAN_VALUES.flatMap(({ variable }) => variable ?? []),
])
/** Variables that tests, scripts and Node itself read. */
const TEST_VARIABLES = new Set(['TENANT_REQUESTS', 'FAST_CHECK_SEED', 'NODE_EXTRA_CA_CERTS'])
/** Variables that the SDK of OpenTelemetry reads itself. */
const OF_THE_SDK =
  /^OTEL_(?:EXPORTER_OTLP_HEADERS|RESOURCE_ATTRIBUTES|SERVICE_NAME|TRACES_SAMPLER(?:_ARG)?|BSP_MAX_QUEUE_SIZE)$/

function found(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([whole, inner]) => inner ?? whole)
}

describe('the pages for people', () => {
  it('hold every generated table, and hold it up to date (npm run docs)', async () => {
    const sections = await generatedSections()
    expect(pages.flatMap(({ text }) => sectionsOf(text)).sort()).toEqual(Object.keys(sections).sort())
    for (const { path, text } of pages) expect(withSections(text, sections), path).toBe(text)
    for (const section of Object.values(sections)) expect(section).not.toContain('undefined')
  })

  it.each(everyPage)('%s names only settings that exist', (_path, text) => {
    const named = found(text, /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g)
    expect(named.filter(name => !settings.has(name) && !TEST_VARIABLES.has(name) && !OF_THE_SDK.test(name))).toEqual([])
  })

  it.each(everyPage)('%s names only metrics that exist', async (_path, text) => {
    const known = new Set((await createMetrics().registry.getMetricsAsJSON()).map(({ name }) => name))
    const named = found(text, /\bstowage_[a-z_]+\b/g).map(name => name.replace(/_(?:bucket|sum|count)$/, ''))
    expect(named.filter(name => !known.has(name))).toEqual([])
  })

  it.each(everyPage)('%s names only routes of ours that exist', (_path, text) => {
    const own = Object.keys(OWN_ROUTES).map(route => route.replace(/^\w+ /, ''))
    const known = new Set([...own, ...Object.keys(RELAY_PATHS)])
    const named = found(text, /(\/v1\/[\w./{}-]*[\w}]|\/healthz|\/readyz)/g)
    expect(named.filter(path => !known.has(path.replace(/\/traces\/[^{/]+$/, '/traces/{id}')))).toEqual([])
  })

  // The page of the embedded engine names Qdrant's own fields; test/embedded holds it against the engine.
  it.each(everyPage.filter(([path]) => path !== 'docs/embedded-engine.md'))(
    '%s names only codes and fields that exist',
    (_path, text) => {
      const tables = [
        ...[ERRORS, DEGRADATIONS, ANSWERABLE_REASONS, PASSTHROUGH_REASONS, DROP_REASONS, ROLLBACK_TRIGGERS, STAGES],
        VERDICTS,
        ...[UPSERT_FAULTS, GOLDEN_FINDINGS, CONTEXT_FAULTS, CONTEXT_FALLBACKS],
      ]
      const codes = tables.flatMap(table => Object.keys(table))
      const known = new Set([
        ...codes,
        ...MEASURE_NAMES,
        ...LOSS_STEP_NAMES,
        ...RULE_NAMES,
        ...fieldsOf(contextRequestSchema),
        ...fieldsOf(contextResponseSchema),
        ...fieldsOf(tenantsFileSchema),
        ...fieldsOf(compareResponseSchema),
        ...fieldsOf(tracesQuerySchema),
        ...TOOLS.flatMap(({ name, input }) => [name, ...fieldsOf(input)]),
        ...ALLOWABLE_OPERATIONS.keys(),
        ...FOREIGN,
        ...ROUTES.map(({ operation }) => operation),
      ])
      const named = found(text, /`([a-z]+(?:_[a-z]+)+)`/g).filter(name => !name.startsWith('stowage_'))
      expect(named.filter(name => !known.has(name))).toEqual([])
    },
  )

  it.each(everyPage)('%s names only plan values that exist', (_path, text) => {
    const paths = new Set(PLAN_VALUES.map(({ path }) => path))
    const parts = [...new Set([...paths].filter(path => path.includes('.')).map(path => path.split('.')[0]))].join('|')
    const named = found(text, new RegExp(`(?<!\\.)\\b((?:${parts})\\.[a-zA-Z]+[\\w.]*)\\b(?!\\.<)`, 'g'))
    expect(named.filter(path => !paths.has(path) && !/\.(?:ts|md)$/.test(path))).toEqual([])
  })

  it.each(everyPage)('%s links only to files that exist', (path, text) => {
    const links = found(text, /\]\((?!https?:|#|mailto:)([^)#\s]+)/g)
    expect(
      links.filter(link => !existsSync(join(dirname(new URL(`../../${path}`, import.meta.url).pathname), link))),
    ).toEqual([])
  })

  it.each(everyPage)('%s links only to headings that exist', (path, text) => {
    const links = [...text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)#([^)\s]+)\)/g)]
    const missing = links.filter(([, to, heading = '']) => {
      const target = posix.join(posix.dirname(path), to || posix.basename(path))
      const page = pages.find(one => one.path === target)?.text ?? ''
      return !found(page, /^#+ (.+)$/gm)
        .map(anchorOf)
        .includes(heading)
    })
    expect(missing.map(([link]) => link)).toEqual([])
  })

  it.each(everyPage)('%s names only source files and folders that exist', (_path, text) => {
    const named = found(text, /`((?:src|test|docs|models|goldens|grafana)\/[\w./-]+)`/g)
    expect(named.filter(name => !existsSync(new URL(`../../${name}`, import.meta.url)))).toEqual([])
  })

  it('show a file of tenants whose only faults are the keys to replace', () => {
    const page = pages.find(({ path }) => path === 'docs/tenants.md')?.text ?? ''
    const [, yaml = ''] = /```yaml\n(.*?)```/s.exec(page) ?? []
    const surroundings = { plan: NAMED_PLANS.measured, environment: { ACMEKEY: 'k' } }
    expect(yaml).toContain('whole_collections')
    const faultsOf = (text: string) => readTenantsFile(Buffer.from(text), 'yaml', surroundings).faults
    const wrong = '=(not shown): must be the 64 hexadecimal digits of a SHA-256'
    expect(faultsOf(yaml)).toEqual([`operators[0].sha256${wrong}`, `tenants.acme.keys[0].sha256${wrong}`])
    expect(faultsOf(yaml.replace(/REPLACE: [^"]+/gu, place => keyHash(place)))).toBeNull()
  })

  it('name all that programs can import, and every field of what the page compares', async () => {
    const textOf = (path: string) => pages.find(page => page.path === path)?.text ?? ''
    const index = await readFile(new URL('../../src/index.ts', import.meta.url), 'utf8')
    const exported = found(index, /^export (?:type )?\{([^}]*)\}/gmu)
      .flatMap(list => list.split(','))
      .map(name => name.replace('type ', '').trim())
      .filter(name => name !== '')
    expect(exported).toContain('openStowage')
    expect(exported.filter(name => !new RegExp(`\`${name}\\b`, 'u').test(textOf('docs/library.md')))).toEqual([])
    const fields = Object.keys(compareResponseSchema.shape)
    expect(fields.filter(name => !textOf('docs/page.md').includes(`\`${name}\``))).toEqual([])
  })

  it('list every command in the README', async () => {
    const cli = await readFile(new URL('../../src/cli.ts', import.meta.url), 'utf8')
    const added = Array.from(cli.matchAll(/^add(\w+)Command\(/gmu), ([, name = '']) =>
      name.replace(/(?<=[a-z])(?=[A-Z])/gu, '-').toLowerCase(),
    )
    const readme = pages.find(({ path }) => path === 'README.md')?.text ?? ''
    const row = /^\| the command line \| (.*?);/mu.exec(readme)?.[1] ?? ''
    expect(row.match(/[a-z-]+/gu)?.sort()).toEqual(added.sort())
  })

  it('keeps README under 120 lines', () => {
    const readme = pages.find(({ path }) => path === 'README.md')
    expect(readme?.text.split('\n').length).toBeLessThan(120)
  })
})

/** The anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

/** Names of all fields of a schema, at any depth. */
function fieldsOf(schema: z.ZodType): string[] {
  const names: string[] = []
  JSON.stringify(z.toJSONSchema(schema, { unrepresentable: 'any' }), (key, value) => {
    if (key === 'properties') names.push(...Object.keys(value))
    return value
  })
  return names
}
