import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { settingsSchema } from '../src/config/settings.ts'
import { ConfigError, diskFault, loadConfig, loadDemoConfig } from '../src/config.ts'
import { NAMED_PLANS } from '../src/pipeline/plan/named-plans.ts'
import type { Plan } from '../src/pipeline/plan/plan.ts'
import { PLAN_VALUES } from '../src/pipeline/plan/plan-values.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

/** Each variable of the plan with a text that no named plan has as its value, and where it must arrive. */
const CASES: readonly [variable: string, text: string, read: (plan: Plan) => unknown, expected: unknown][] = [
  ['CONTEXT_TOKEN_BUDGET', '1234', plan => plan.budgetTokens, 1234],
  ['TOKENIZER_MODEL', 'gpt-4', plan => plan.tokenizerModel, 'gpt-4'],
  ['HYBRID_VECTOR_WEIGHT', '.45', plan => plan.retrieval.weights.dense, 0.45],
  ['HYBRID_KEYWORD_WEIGHT', '0.55', plan => plan.retrieval.weights.keyword, 0.55],
  ['RETRIEVAL_K_BASE', '77', plan => plan.retrieval.weights.k, 77],
  ['RETRIEVAL_MODE', 'lexical', plan => plan.retrieval.mode, 'lexical'],
  ['RETRIEVAL_CONTEXTUAL', 'on', plan => plan.retrieval.contextual, true],
  ['RETRIEVAL_SPELLING', 'off', plan => plan.retrieval.spelling, false],
  ['FUSION_METHOD', 'rrf', plan => plan.fusion.method, 'rrf'],
  ['RERANKER', 'off', plan => plan.rerank.method, 'off'],
  ['RERANK_TOPK', '9', plan => plan.rerank.topK, 9],
  ['RERANK_BLEND', '1', plan => plan.rerank.blend, 1],
  ['RERANK_DEADLINE_MS', '250', plan => plan.rerank.deadlineMs, 250],
  ['PACKING_ANSWERABILITY_BONUS', '0', plan => plan.answerability.bonus, 0],
  ['SECTION_REUNIFICATION', 'off', plan => plan.reunification.enabled, false],
  ['QUERY_ADAPTIVE_WEIGHTS', 'on', plan => plan.retrieval.adaptive, true],
  ['RETRIEVAL_TOKENS_PER_CANDIDATE', '40', plan => plan.retrieval.tokensPerCandidate, 40],
  ['RETRIEVAL_FOREIGN_K', 'off', plan => plan.retrieval.foreignK, null],
  ['RETRIEVAL_NAMED_DOCUMENTS', '5', plan => plan.retrieval.namedDocuments, 5],
  ['MMR_ALPHA', '0.25', plan => plan.diversity.mmrAlpha, 0.25],
  ['PACKING_MODE', 'sentence', plan => plan.packing.mode, 'sentence'],
  ['PACKING_PER_DOC_CAP', '3', plan => plan.packing.documentCap, 3],
  ['PACKING_PER_SECTION_CAP', '4', plan => plan.packing.sectionCap, 4],
  ['PACKING_CAP_MODE', 'soft', plan => plan.packing.capMode, 'soft'],
  ['PACKING_FILL', 'relevant', plan => plan.packing.fill, 'relevant'],
  ['PACKING_MIN_RELEVANCE', '0.2', plan => plan.packing.minRelevance, 0.2],
  ['PACKING_PARENT_EXPANSION', '0.5', plan => plan.packing.parentExpansion, 0.5],
  ['PACKING_CONTEXT_LINE', 'on', plan => plan.packing.contextLine, true],
  ['PACKING_SENTENCE_CHOICE', 'words', plan => plan.packing.sentenceChoice, 'words'],
  ['PACKING_REPEAT_HEADING', 'on', plan => plan.packing.repeatHeading, true],
  ['PACKING_REPETITION', 'context', plan => plan.packing.repetition, 'context'],
  ['PACKING_NOVELTY_ALPHA', '0.75', plan => plan.packing.noveltyAlpha, 0.75],
  ['VERDICT_IN_DOCUMENTS', '0.6', plan => plan.verdict.inDocuments, 0.6],
  ['VERDICT_UNCERTAIN', '.1', plan => plan.verdict.uncertain, 0.1],
]

function faultsOf(environment: Record<string, string>): string {
  try {
    loadConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  throw new Error('the environment was accepted')
}

describe('the number of workers', () => {
  it('is 1 by default, a number, or one for each core', () => {
    const { WORKERS: usual } = loadConfig({}).settings
    const { WORKERS: given } = loadConfig({ WORKERS: '3' }).settings
    const { WORKERS: cores } = loadConfig({ WORKERS: 'auto' }).settings
    expect([usual, given, cores]).toEqual([1, 3, availableParallelism()])
  })

  it.each(['0', '-1', '1.5', 'two', 'AUTO', '257'])('is refused when it is %j, by its name and value', value => {
    expect(() => loadConfig({ WORKERS: value })).toThrow(`WORKERS=${value}: `)
  })
})

describe('the time after which a worker hangs', () => {
  it.each(['0', '2000', '30000', '3600000'])('can be %s ms', value => {
    expect(loadConfig({ WORKER_HANG_MS: value }).settings.WORKER_HANG_MS).toBe(Number(value))
  })

  it.each(['1', '1999', '-1', '3600001', 'off'])('is refused when it is %j, by its name and value', value => {
    expect(() => loadConfig({ WORKER_HANG_MS: value })).toThrow(`WORKER_HANG_MS=${value}: `)
  })
})

describe('environment to plan', () => {
  it('is tested for every variable that sets a plan value', () => {
    const variables = PLAN_VALUES.flatMap(({ variable }) => variable ?? [])
    expect(['STOWAGE_PLAN', ...CASES.map(([variable]) => variable)].sort()).toEqual(variables.sort())
  })

  it.each(CASES)('%s=%s changes its value and no other', (variable, text, read, expected) => {
    const { plan } = loadConfig({ [variable]: text })
    expect(read(NAMED_PLANS.measured)).not.toEqual(expected)
    expect(read(plan)).toEqual(expected)
    const before = leaves(NAMED_PLANS.measured)
    const changed = Object.entries(leaves(plan)).filter(([path, value]) => before[path] !== value)
    expect(changed).toHaveLength(1)
  })

  it('takes the named plan, and lays the variables over it', () => {
    expect(loadConfig({}).plan).toEqual(NAMED_PLANS.measured)
    expect(loadConfig({ STOWAGE_PLAN: 'design' }).plan).toEqual(NAMED_PLANS.design)
    const { plan } = loadConfig({ STOWAGE_PLAN: 'design', PACKING_PER_DOC_CAP: 'off', MMR_ALPHA: 'off' })
    expect(plan).toEqual({
      ...NAMED_PLANS.design,
      diversity: { mmrAlpha: null },
      packing: { ...NAMED_PLANS.design.packing, documentCap: null },
    })
  })

  it('gives a plan that nobody can change', () => {
    const { plan } = loadConfig({ RERANK_BLEND: '0.5' })
    expect(() => Object.assign(plan.rerank, { blend: 0 })).toThrow(TypeError)
  })

  it('treats empty variables as unset', () => {
    expect(loadConfig({ RERANKER: '', PORT: '', QDRANT_URL: '' })).toEqual(loadConfig({}))
  })
})

describe('the thresholds of verdicts', () => {
  it.each([
    [
      { VERDICT_UNCERTAIN: '0.8' },
      'VERDICT_UNCERTAIN=0.8: must be at most verdict.inDocuments, which is 0.75: set both',
    ],
    [
      { VERDICT_IN_DOCUMENTS: '0.2' },
      'VERDICT_IN_DOCUMENTS=0.2: must be at least verdict.uncertain, which is 0.22: set both',
    ],
    [
      { VERDICT_IN_DOCUMENTS: '0.4', VERDICT_UNCERTAIN: '0.5' },
      'VERDICT_UNCERTAIN=0.5: must be at most VERDICT_IN_DOCUMENTS=0.4',
    ],
    [{ VERDICT_UNCERTAIN: '1.1' }, 'VERDICT_UNCERTAIN=1.1: Too big: expected number to be <=1'],
  ])('are refused in the wrong order, by name and value: %j', (given, fault) => {
    expect(faultsOf(given)).toBe(`Bad configuration:\n  ${fault}`)
  })

  it('can be equal, and are checked when all values are read', () => {
    const { verdict } = loadConfig({ VERDICT_UNCERTAIN: '0.9', VERDICT_IN_DOCUMENTS: '0.9' }).plan
    expect(verdict).toEqual({ uncertain: 0.9, inDocuments: 0.9 })
  })
})

describe('STOWAGE_PLAN with a file', () => {
  const folder = temporaryFolder('stowage-plan')
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }

  it('takes the plan of the file, and lays the variables over it', () => {
    const path = file('tuned.json', '{"STOWAGE_PLAN": "design", "packing.mode": "sentence", "RERANK_BLEND": 0.5}')
    const { plan } = loadConfig({ STOWAGE_PLAN: path, RERANK_BLEND: '0.7' })
    const { design } = NAMED_PLANS
    expect(plan).toEqual({
      ...design,
      packing: { ...design.packing, mode: 'sentence' },
      rerank: { ...design.rerank, blend: 0.7 },
    })
  })

  it('takes YAML, and changes measured when the file names no plan', () => {
    const { plan } = loadConfig({ STOWAGE_PLAN: file('small.yaml', 'packing.documentCap: 2\n') })
    expect(plan).toEqual({
      ...NAMED_PLANS.measured,
      packing: { ...NAMED_PLANS.measured.packing, documentCap: 2 },
    })
  })

  it('chooses the reranker that the process loads', () => {
    expect(loadConfig({ STOWAGE_PLAN: file('off.json', '{"RERANKER": "off"}') }).plan.rerank.method).toBe('off')
    const http = file('http.json', '{"rerank.method": "http"}')
    expect(faultsOf({ STOWAGE_PLAN: http })).toMatch(/RERANK_URL: must be set/)
    expect(loadConfig({ STOWAGE_PLAN: http, RERANK_URL: 'http://models' }).plan.rerank.method).toBe('http')
  })

  it('is used by a demo too', () => {
    vi.stubEnv('STOWAGE_PLAN', file('demo.json', '{"packing.mode": "sentence"}'))
    expect(loadDemoConfig().plan.packing.mode).toBe('sentence')
    vi.unstubAllEnvs()
  })

  it.each([
    ['broken.json', '{', /: is not JSON/],
    ['unknown.json', '{"packing.mod": "sentence"}', /: unknown key packing.mod; did you mean packing.mode\?/],
    ['value.json', '{"packing.mode": "words"}', /: packing.mode=words: /],
    ['path.json', '{"STOWAGE_PLAN": "./other.json"}', /\.STOWAGE_PLAN: must be one of measured, design/],
  ])('names the variable, the file and the fault of %s', (name, content, fault) => {
    const path = file(name, content)
    const message = faultsOf({ STOWAGE_PLAN: path, PORT: 'x' })
    expect(message).toContain(`STOWAGE_PLAN=${path}`)
    expect(message).toMatch(fault)
    expect(message).toContain('PORT=x: ')
  })

  it('refuses a file that is not there, and a name that no plan has', () => {
    expect(faultsOf({ STOWAGE_PLAN: './no/plan.json' })).toMatch(
      /STOWAGE_PLAN=\.\/no\/plan.json: cannot be read: ENOENT/,
    )
    expect(faultsOf({ STOWAGE_PLAN: 'tuned' })).toMatch(
      /STOWAGE_PLAN=tuned: must be measured, design, or the path of a plan file/,
    )
  })
})

describe('the addresses of rerankers', () => {
  it('are one or several, separated by commas, with or without blanks', () => {
    const urlsOf = (value: string) => loadConfig({ RERANK_URL: value }).settings.RERANK_URL
    expect(urlsOf('http://a/rerank')).toEqual(['http://a/rerank'])
    expect(urlsOf(' http://a:1/rerank , https://b/rerank')).toEqual(['http://a:1/rerank', 'https://b/rerank'])
  })

  it.each([
    ['http://a,', /RERANK_URL=http:\/\/a,: address 2 must be a URL with http:\/\/ or https:\/\//],
    ['http://a,ftp://b', /RERANK_URL=.*: address 2 must be a URL/],
    ['http://a,http://u:hunter2@b', /RERANK_URL=.*: address 2 must not contain a user or password/],
    ['http://a,http://a/', /RERANK_URL=.*: must not name an address twice/],
    [Array.from({ length: 17 }, (_, at) => `http://h${at}`).join(), /RERANK_URL=.*: must have at most 16 addresses/],
  ])('are refused as %s', (value, fault) => {
    const message = faultsOf({ RERANK_URL: value })
    expect(message).toMatch(fault)
    expect(message).not.toContain('hunter2')
  })
})

describe('a bad environment', () => {
  it('is reported whole: each variable with its value, settings and plan alike', () => {
    const message = faultsOf({
      PORT: '99999',
      QDRANT_URL: 'qdrant:6333',
      RERANK_URL: 'https://user:hunter2@models/rerank?token=hunter2',
      RERANKER: 'crosencoder',
      RERANK_BLEND: '1.5',
      RETRIEVAL_K_BASE: '12.5',
      STOWAGE_PLAN: 'best',
      QUERY_ADAPTIVE_WEIGHTS: 'maybe',
    })
    for (const named of [
      'PORT=99999: ',
      'QDRANT_URL=qdrant:6333: ',
      'RERANK_URL=https://***@models/rerank?***: must not contain a user or password',
      'RERANKER=crosencoder: ',
      'RERANK_BLEND=1.5: ',
      'RETRIEVAL_K_BASE=12.5: ',
      'STOWAGE_PLAN=best: ',
      'QUERY_ADAPTIVE_WEIGHTS=maybe: ',
    ])
      expect(message).toContain(named)
    expect(message.split('\n')).toHaveLength(1 + 8)
    expect(message).not.toContain('hunter2')
  })

  it.each([
    ['off', /RERANK_BLEND=off: /],
    ['', null],
    ['NaN', /RERANK_BLEND=NaN: /],
    ['1e3', /RERANK_BLEND=1e3: /],
    ['-0.1', /RERANK_BLEND=-0.1: /],
  ])('refuses a weight of %j', (text, fault) => {
    if (fault === null) expect(loadConfig({ RERANK_BLEND: text }).plan.rerank.blend).toBe(0.4)
    else expect(faultsOf({ RERANK_BLEND: text })).toMatch(fault)
  })

  it.each([
    ['QDRANT_URL', 'http://qdrant:6333?api_key=hunter2'],
    ['QDRANT_URL', 'http://qdrant:6333/dashboard#/hunter2'],
    ['OPENAI_BASE_URL', 'https://azure/openai?api-version=hunter2'],
  ])('refuses %s=%s: paths are put behind it', (variable, value) => {
    const message = faultsOf({ [variable]: value })
    expect(message).toMatch(new RegExp(`${variable}=http.*: must not have a query or a fragment$`, 'u'))
    expect(message).not.toContain('hunter2')
  })

  it('does not show secrets', () => {
    const message = faultsOf({ OPENAI_API_KEY: 'sk-secret', PORT: 'x' })
    expect(message).not.toContain('sk-secret')
  })

  it.each<Record<string, string>>([
    { REDIS_URL: 'redis://:sesame@redis:6379/names' },
    { REDIS_URL: 'http://:sesame@redis:6379' },
    { REDIS_URL: 'sesame' },
    { REDIS_ENCRYPTION_KEY: 'sesame' },
    { REDIS_ENCRYPTION_KEY: `sesame${'0'.repeat(60)}` },
  ])('refuses %j without showing it', variables => {
    const message = faultsOf(variables)
    expect(message).toMatch(/REDIS_(?:URL|ENCRYPTION_KEY)=\(not shown\): must /u)
    expect(message).not.toContain('sesame')
  })

  it.each(['QDRANT_API_KEY', 'RERANK_API_KEY', 'UNLEASH_API_TOKEN'])(
    'takes %s from a file that ends with a line break, and refuses one that no header can hold without showing it',
    variable => {
      expect(loadConfig({ [variable]: 'sesame\r\n' }).settings).toMatchObject({ [variable]: 'sesame' })
      for (const value of ['sesame\nopen', 'sesame \u2026', '\n']) {
        const message = faultsOf({ [variable]: value })
        expect(message).toMatch(new RegExp(`^  ${variable}=\\(not shown\\): must not `, 'mu'))
        expect(message).not.toContain('sesame')
      }
    },
  )

  it('takes a key of encryption as hexadecimal digits and as base64', () => {
    const bytes = Buffer.from(Array.from({ length: 32 }, (_, at) => at * 7))
    for (const encoding of ['hex', 'base64'] as const)
      expect(
        loadConfig({ REDIS_ENCRYPTION_KEY: `${bytes.toString(encoding)}\n` }).settings.REDIS_ENCRYPTION_KEY,
      ).toEqual(bytes)
  })

  it('names what is missing beside what is set', () => {
    expect(faultsOf({ EMBEDDER: 'openai', RERANKER: 'http' })).toMatch(/OPENAI_API_KEY: .*\n.*RERANK_URL: /s)
  })

  it('needs no key for an endpoint of embeddings with an address of its own', () => {
    const variables = { EMBEDDER: 'openai', OPENAI_BASE_URL: 'http://127.0.0.1:8080/v1' }
    expect(loadConfig(variables).settings.OPENAI_API_KEY).toBeUndefined()
  })

  it('wants a key, and no prefixes, for an embedder with input types', () => {
    expect(faultsOf({ EMBEDDER: 'voyage', EMBEDDING_QUERY_PREFIX: 'query: ' })).toMatch(
      /EMBEDDING_API_KEY: must be set when EMBEDDER=voyage\n.*EMBEDDING_QUERY_PREFIX: must not be set/s,
    )
    expect(loadConfig({ EMBEDDER: 'cohere', EMBEDDING_API_KEY: 'k' }).settings.EMBEDDER).toBe('cohere')
    expect(loadConfig({ EMBEDDING_QUERY_PREFIX: 'query: ' }).settings.EMBEDDING_QUERY_PREFIX).toBe('query: ')
  })

  it('names faults between variables beside those of single ones', () => {
    const message = faultsOf({ EMBEDDER: 'openai', RERANKER: 'http', PORT: 'x', RERANK_BLEND: '2' })
    for (const named of ['PORT=x: ', 'RERANK_BLEND=2: ', 'OPENAI_API_KEY: must', 'RERANK_URL: must'])
      expect(message).toContain(named)
    expect(message.split('\n')).toHaveLength(1 + 4)
  })

  it('names a misspelt variable beside the faults, because it may explain one', () => {
    const message = faultsOf({ EMBEDDER: 'openai', OPENAI_API_KEI: 'sk-secret' })
    expect(message).toContain('OPENAI_API_KEI: stowage has no such variable; did you mean OPENAI_API_KEY?')
    expect(message).not.toContain('sk-secret')
  })

  it('names a flag that stowage does not have, with the closest one that it has', () => {
    expect(faultsOf({ STOWAGE_FLAGS_OFF: 'rerank,stowage.dedup' })).toContain(
      'STOWAGE_FLAGS_OFF=rerank,stowage.dedup: unknown flag stowage.dedup; did you mean stowage.dedupe?',
    )
    expect(faultsOf({ STOWAGE_FLAGS_OFF: 'everything' })).toMatch(
      /STOWAGE_FLAGS_OFF=everything: unknown flag everything; known are: all, improve, /u,
    )
  })

  it('never shows the token of Unleash', () => {
    const faults = faultsOf({ UNLEASH_API_TOKEN: 'default:production.hush', UNLEASH_URL: 'ftp://flags' })
    expect(faults).not.toContain('hush')
    expect(faults).toContain('UNLEASH_URL=ftp://flags')
  })
})

describe('a demo', () => {
  afterEach(() => void vi.unstubAllEnvs())

  it('has its own engine and no tenants, whatever the variables say', () => {
    vi.stubEnv('TENANTS_FILE', 'tenants.yaml')
    vi.stubEnv('QDRANT_URL', 'http://qdrant:6333')
    expect(loadDemoConfig().settings).toMatchObject(loadConfig({ UI: 'on' }).settings)
    expect(loadConfig().settings).toMatchObject({ TENANTS_FILE: 'tenants.yaml' })
  })
})

describe('MAPPINGS', () => {
  const mappings = { docs: { text: 'metadata.body', doc_id: 'metadata.source' }, notes: { order_index: 'n' } }

  it('takes JSON, or the path of a file with it', () => {
    expect(loadConfig({ MAPPINGS: ` ${JSON.stringify(mappings)}` }).settings.MAPPINGS).toEqual(mappings)
    const folder = temporaryFolder('stowage-config')
    writeFileSync(join(folder, 'mappings.json'), JSON.stringify(mappings))
    expect(loadConfig({ MAPPINGS: join(folder, 'mappings.json') }).settings.MAPPINGS).toEqual(mappings)
  })

  it.each([
    ['{"docs": {"txt": "body"}}', /docs: unknown field txt; the fields are text, doc_id, /],
    ['{"docs": {"text": 5}}', /docs\.text=5: must be a dotted path/],
    ['{"docs": {"text": ""}}', /docs\.text="": must not be empty/],
    ['{"docs": "body"}', /docs="body": must be an object of fields/],
    ['{"docs": ', /is not JSON/],
    ['no/such/file.json', /cannot be read: ENOENT/],
  ])('refuses %s', (given, fault) => {
    expect(faultsOf({ MAPPINGS: given })).toMatch(fault)
    expect(faultsOf({ MAPPINGS: given })).toContain(`MAPPINGS=${given}: `)
  })

  it('names every fault at once, and cuts a long value', () => {
    const message = faultsOf({
      MAPPINGS: JSON.stringify({ a: { text: 1, title: 'x' }, b: { text: 2, long: 'y'.repeat(500) } }),
    })
    expect(message).toMatch(/a\.text=1: .*b\.text=2: /s)
    expect(message).toContain('b: unknown field long')
    expect(message).not.toContain('y'.repeat(200))
  })
})

describe('a variable that stowage does not have', () => {
  const unknownAmong = (...names: string[]) =>
    loadConfig(Object.fromEntries(names.map(name => [name, 'x']))).unknownVariables

  it.each([
    ['RERANKR', 'RERANKER'],
    ['QDRANT_URl', 'QDRANT_URL'],
    ['qdrant_url', 'QDRANT_URL'],
    ['QDRNAT_URL', 'QDRANT_URL'],
    ['CONTEXT_TOKENS_BUDGET', 'CONTEXT_TOKEN_BUDGET'],
    ['STOWAGE_PLANS', 'STOWAGE_PLAN'],
  ])('%s is reported: %s was meant', (name, meant) => {
    expect(unknownAmong(name)).toEqual([`${name}: stowage has no such variable; did you mean ${meant}?`])
  })

  it('is reported for its prefix, without a guess', () => {
    expect(unknownAmong('STOWAGE_TENANT_ISOLATION')).toEqual(['STOWAGE_TENANT_ISOLATION: stowage has no such variable'])
  })

  it('is found for every slip of one letter in a long name, and never for a right name', () => {
    const names = [...Object.keys(settingsSchema.shape), ...PLAN_VALUES.flatMap(({ variable }) => variable ?? [])]
    const slip = fc
      .record({
        name: fc.constantFrom(...names.filter(name => name.length >= 6)),
        at: fc.nat(),
        letter: fc.constantFrom('Q', 'X', ''),
      })
      .map(({ name, at, letter }) => name.slice(0, at % name.length) + letter + name.slice((at % name.length) + 1))
      .filter(name => !names.includes(name))
    fc.assert(fc.property(slip, name => void expect(unknownAmong(name)[0]).toMatch(/did you mean [A-Z_]+\?$/u)))
    expect(names.filter(name => faultOrUnknown(name).includes('no such variable'))).toEqual([])
  })

  it('is not reported when it belongs to others', () => {
    const others = `PATH HOME USER SHELL LANG TERM EDITOR PAGER HOSTNAME PWD OLDPWD TZ CI DEBUG NODE_ENV NODE_OPTIONS NODE_PATH
      npm_config_loglevel npm_lifecycle_event HTTP_PROXY NO_PROXY OPENAI_ORG_ID OPENAI_MODEL QDRANT_HOST QDRANT_PORT QDRANT__SERVICE__API_KEY
      QDRANT_COLLECTION STOWAGE_SERVICE_HOST STOWAGE_SERVICE_PORT STOWAGE_PORT STOWAGE_PORT_6433_TCP_ADDR KUBERNETES_PORT DATABASE_URL
      REDIS_HOST REDIS_PASSWORD EMBEDDING_PROVIDER LOG_FORMAT POSTGRES_HOST PORTS HOSTS`
    expect(unknownAmong(...others.split(/\s+/u))).toEqual([])
  })
})

function faultOrUnknown(name: string): string {
  try {
    return loadConfig({ [name]: 'x' }).unknownVariables.join()
  } catch (error) {
    return String(error)
  }
}

function leaves(value: object, prefix = ''): Record<string, unknown> {
  return Object.assign(
    {},
    ...Object.entries(value).map(([key, inner]) =>
      typeof inner === 'object' && inner !== null ? leaves(inner, `${prefix}${key}.`) : { [`${prefix}${key}`]: inner },
    ),
  )
}

describe('a path that cannot be used', () => {
  const fault = (code: string) =>
    diskFault('EMBEDDED_PATH', '/data', Object.assign(new Error(`${code}: of the system`), { code, syscall: 'open' }))

  it('is named with what the disk says', () => {
    expect(fault('EACCES')).toMatchObject({ faults: ['EMBEDDED_PATH=/data: cannot be used: EACCES: of the system'] })
  })

  it.each(['EMFILE', 'ENFILE'])('is not to blame for %s', code => {
    expect(fault(code)).toMatchObject({
      faults: [
        `EMBEDDED_PATH=/data: cannot be used: the limit of open files is reached (${code}): raise it (ulimit -n, LimitNOFILE)`,
      ],
    })
  })

  it('is not named for faults that are not of the disk', () => {
    const error = new Error('broken')
    expect(diskFault('EMBEDDED_PATH', '/data', error)).toBe(error)
  })
})
