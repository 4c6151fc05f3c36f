import { z } from 'zod'
import { PLAN_NAMES } from '../pipeline/plan/plan.ts'
import {
  baseUrl,
  collectionPairs,
  dollars,
  encryptionKey,
  flagsOff,
  hangLimit,
  mappings,
  names,
  onOff,
  planSource,
  redisUrl,
  relayTarget,
  secret,
  setting,
  text,
  url,
  wholeNumber,
  workerCount,
} from './fields.ts'
import { modelSettings } from './model-settings.ts'

/** The environment variables that are not plan values. */
export const settingsSchema = z.object({
  STOWAGE_PLAN: setting(
    planSource.default('measured'),
    `The plan: ${PLAN_NAMES.map(name => `\`${name}\``).join(', ')}, or the path of a plan file such as \`./plans/tuned.json\`. Other variables change its values.`,
  ),
  STOWAGE_DROPIN: setting(
    z.enum(['improve', 'passthrough']).default('improve'),
    'Improve searches on the paths of Qdrant, or pass all of them through.',
  ),
  QDRANT_URL: setting(baseUrl.optional(), 'URL of Qdrant. Unset: the embedded engine.'),
  QDRANT_API_KEY: secret(
    'API key for what stowage asks by itself: its commands, contexts of new points, and the tools of operators at `/mcp`. It is never lent to a client or a tenant.',
  ),
  MAPPINGS: setting(
    mappings.optional(),
    'Payload fields of collections that stowage has not written: JSON such as `{"docs": {"text": "metadata.body"}}`, or the path of a JSON file.',
  ),
  CONTEXTUAL_COLLECTIONS: setting(
    collectionPairs.default(new Map()),
    'Collections whose chunks have contexts, by the collection that they stand for: `docs=docs-contextual`. A plan with `retrieval.contextual` searches them in `/v1/context`.',
  ),
  EMBEDDED_PATH: setting(text.optional(), 'Folder of the embedded engine. Unset: in memory.'),
  PROJECTS_FOLDER: setting(
    text.optional(),
    'Folder of projects. Unset: `projects` below `EMBEDDED_PATH`, or `.stowage/projects` where that is unset.',
  ),
  HOST: setting(text.default('127.0.0.1'), 'Address to listen on.'),
  PORT: setting(wholeNumber(0, 65_535).default(6433), 'Port to listen on; 0 takes a free port.'),
  WORKERS: setting(
    workerCount.default(1),
    'Processes that `stowage serve` answers requests with, all on the same port; `auto`: one for each core.',
  ),
  WORKER_HANG_MS: setting(
    hangLimit.default(30_000),
    'With several workers, one whose event loop has not turned for this long is killed and started again, in milliseconds, at least 2000; 0 is off.',
  ),
  UI: setting(
    onOff.default(false),
    'Serve a page to look at under `/v1/ui`: stowage beside plain top-k, and the last requests. Off: its routes answer 404.',
  ),
  MCP: setting(
    onOff.default(false),
    'Serve the tools for agents at `/mcp` (Model Context Protocol). Off: the path is one of Qdrant.',
  ),
  MCP_ALLOWED_HOSTS: setting(
    names.default([]),
    'More host names that requests over loopback may ask for at `/mcp`, separated by commas: those that a proxy on this machine forwards.',
  ),
  MCP_BUDGET_USD: setting(
    dollars.default(1),
    'Most US dollars that an agent may give to `reindex_with_context`, over all runs for a collection.',
  ),
  LOG_LEVEL: setting(
    z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('info'),
    'Lowest log level that is written.',
  ),
  LOG_QUERY_TEXT: setting(
    z.enum(['off', 'hash', 'text']).default('off'),
    'Query text in the log and in spans: none, a digest, or the text itself.',
  ),
  SLOW_REQUEST_MS: setting(
    wholeNumber(0, 600_000).default(2_000),
    'Requests that take longer are counted, and logged at warn with their stage times, in milliseconds; 0 is off.',
  ),
  ...modelSettings,
  EMBEDDINGS_RELAY_URL: setting(
    relayTarget.optional(),
    'Endpoint that requests to embed go on to, with or without its `/v1`, such as `https://api.openai.com/v1`, so that the question of a search is known by its vector; `local`: the embedder of stowage answers. Unset: there is no relay.',
  ),
  EMBEDDINGS_RELAY_API_KEY: secret(
    'Key for that endpoint, lent to tenants whose requests to embed have no other. Without `TENANTS_FILE`, it is not used.',
  ),
  EMBEDDINGS_RELAY_TTL_MS: setting(
    wholeNumber(1_000, 86_400_000).default(600_000),
    'How long the relay remembers the question of a vector, in milliseconds.',
  ),
  EMBEDDINGS_RELAY_VECTORS: setting(
    wholeNumber(0, 10_000_000).default(20_000),
    'Most vectors whose question is remembered; a question counts once per 1,024 characters. 0: none.',
  ),
  JUDGE_MODEL: setting(
    text.optional(),
    'Language model that judges answers in `stowage replay --judge`: a model name of an OpenAI-compatible endpoint.',
  ),
  JUDGE_BASE_URL: setting(baseUrl.optional(), 'Base URL of that endpoint; default is OpenAI.'),
  JUDGE_API_KEY: secret('Key of that endpoint.'),
  CONTEXT_MODEL: setting(
    text.optional(),
    'Language model that writes contexts of chunks (`openai`, `anthropic`), by its name at the endpoint.',
  ),
  CONTEXT_BASE_URL: setting(
    baseUrl.optional(),
    'Base URL of that endpoint, such as `http://localhost:11434/v1`; default is OpenAI or Anthropic.',
  ),
  CONTEXT_API_KEY: secret('Key of that endpoint.'),
  CONTEXT_CONCURRENCY: setting(wholeNumber(1, 1_000).default(10), 'Most requests in flight to that endpoint.'),
  CONTEXT_REQUESTS_PER_MINUTE: setting(
    wholeNumber(1, 10_000_000).optional(),
    'Most requests per minute to that endpoint, without repetitions. Unset: no limit.',
  ),
  CONTEXT_TOKENS_PER_MINUTE: setting(
    wholeNumber(1, 1_000_000_000).optional(),
    'Most tokens of prompts and answers per minute, as stowage counts them. Unset: no limit.',
  ),
  CONTEXT_TIMEOUT_MS: setting(
    wholeNumber(100, 600_000).default(60_000),
    'Longest time of one attempt at that endpoint, in milliseconds. A request has up to five attempts.',
  ),
  CONTEXT_PROMPT_FILE: setting(
    text.optional(),
    'File with a prompt of your own for contexts; it holds `{{document}}` and then `{{chunk}}`, and can hold `{{title}}` and `{{section_path}}`.',
  ),
  CONTEXT_PRICES_FILE: setting(
    text.optional(),
    'JSON file with prices of models in US dollars per million tokens. Its models go before those that stowage knows.',
  ),
  CONTEXT_QUEUE_POINTS: setting(
    wholeNumber(1, 10_000_000).default(100_000),
    'Most new points that wait for their contexts, in collections of projects with contexts. More are left to `stowage contextualize`.',
  ),
  CONTEXT_STATE_FOLDER: setting(
    text.optional(),
    'Folder for former vectors and contexts on their way, one folder below it for each collection. Unset: `.stowage/contextualize` in the working directory.',
  ),
  MODELS_ALLOW_REMOTE: setting(onOff.default(false), 'Allow models to be downloaded from the hub.'),
  INGESTION_GUARD: setting(
    z.enum(['enforce', 'warn', 'off']).default('enforce'),
    'Check the points that clients write to managed collections, those that `stowage ingest` made: refuse points that do not fit, or only count and log them.',
  ),
  INGESTION_GUARD_ALLOW_MIXED: setting(
    onOff.default(false),
    'Allow points of another `embedder_version` than the collection has.',
  ),
  MANAGED_COLLECTIONS: setting(
    names.default([]),
    'More collections that are managed, by name or pattern, separated by commas: `docs,team-*`.',
  ),
  REQUEST_DEADLINE_MS: setting(
    wholeNumber(1, 600_000).default(10_000),
    'Default deadline of `/v1/context`, in milliseconds.',
  ),
  DROPIN_DEADLINE_MS: setting(
    wholeNumber(1, 600_000).default(2_500),
    "Longest time for improving a search, in milliseconds. After it, the client's own request is forwarded. At most half of the `timeout` of the search counts, 2,500 ms for a search without one.",
  ),
  DROPIN_HEDGE_MS: setting(
    wholeNumber(1, 600_000).default(200),
    "How long Qdrant may take for an improved search, in milliseconds. After it, the client's own request is sent beside it, and the first good answer wins.",
  ),
  CACHE_TTL_MS: setting(
    wholeNumber(0, 86_400_000).default(0),
    'How long answers of `/v1/context` are cached, in milliseconds; 0 is off.',
  ),
  REDIS_URL: redisUrl.meta({
    description:
      'URL of a Redis or Valkey that several processes of stowage share, such as `redis://:password@redis:6379`. Unset: each process has its own memory only.',
    secret: true,
  }),
  REDIS_PREFIX: setting(text.max(100).default('stowage:'), 'What stands before every key there.'),
  REDIS_TIMEOUT_MS: setting(
    wholeNumber(1, 1_000).default(25),
    'Longest time that a request waits for one answer of it, in milliseconds. After it, the process goes on alone until it answers again.',
  ),
  REDIS_ENCRYPTION_KEY: encryptionKey.meta({
    description:
      'Key that encrypts what is stored there: 32 bytes as hexadecimal digits or base64. Unset: it is compressed only.',
    secret: true,
  }),
  RETRIEVAL_TRACE: setting(onOff.default(false), 'Include the trace in every response of `/v1/context`.'),
  TRACE_FILE: setting(text.optional(), 'File for traces as JSON lines. It is rotated at 64 MiB, and 5 files are kept.'),
  TRACE_QUERY_TEXT: setting(
    z.enum(['text', 'hash']).default('text'),
    'Query text in the file for traces: the text itself, or a digest.',
  ),
  OTEL_TRACES_EXPORTER: setting(
    z.enum(['otlp', 'none']).optional(),
    'Spans for OpenTelemetry. Unset: on when an endpoint is set.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    url.optional(),
    'Receiver of OTLP over HTTP, such as `http://collector:4318`; the path for traces is added.',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: setting(url.optional(), 'The whole URL for traces, in place of the one before.'),
  OTEL_EXPORTER_OTLP_PROTOCOL: setting(
    z.enum(['http/protobuf', 'http/json']).default('http/protobuf'),
    'Encoding of spans. gRPC is not supported.',
  ),
  OTEL_EXPORTER_OTLP_TIMEOUT: setting(
    wholeNumber(1, 600_000).default(3_000),
    'Longest time of one export with its repetitions, in milliseconds.',
  ),
  OTEL_SDK_DISABLED: setting(onOff.default(false), 'Switches spans off, whatever the variables before say.'),
  TENANTS_FILE: setting(
    text.optional(),
    'File of tenants, YAML or JSON. It is read again when it changes. Unset: keys of clients go on to Qdrant.',
  ),
  STOWAGE_FLAGS_OFF: setting(
    flagsOff.optional(),
    'Flags that are off, whatever any source says: keys with or without `stowage.`, separated by commas, or `all`.',
  ),
  UNLEASH_URL: setting(
    baseUrl.optional(),
    'URL of the API of an Unleash server, such as `http://unleash:4242/api`. Unset: no server is asked.',
  ),
  UNLEASH_API_TOKEN: secret('Backend token (client token) for that server. It names project and environment.'),
  UNLEASH_REFRESH_MS: setting(
    wholeNumber(100, 3_600_000).default(15_000),
    'How often flags are refreshed, in milliseconds.',
  ),
  UNLEASH_ENVIRONMENT: setting(
    text.default('default'),
    'The `environment` that constraints of flags see, also those of `FLAGS_FILE`. Which values Unleash answers is decided by the token.',
  ),
  UNLEASH_APP_NAME: setting(
    text.default('stowage'),
    'The `appName` that Unleash shows, and that constraints of flags see.',
  ),
  UNLEASH_BACKUP_FILE: setting(
    text.optional(),
    'File for the last flags of Unleash, for a start while the server is away. Unset: they are kept in memory only.',
  ),
  FLAGS_FILE: setting(
    text.optional(),
    'File of flags, JSON or YAML as the client API of Unleash answers. It is used until Unleash has answered, and read again when it changes.',
  ),
  PLANS_FOLDER: setting(
    text.optional(),
    'Folder of plan files, `NAME.json` or `NAME.yaml`, that a variant of a flag can name. It is read again when it changes.',
  ),
  ROLLOUT_STATE_FILE: setting(
    text.optional(),
    'File that keeps the rollbacks of experiments over a restart. Unset: a restart ends them.',
  ),
})

export type Settings = z.infer<typeof settingsSchema>
