import * as units from '@grafana/grafana-foundation-sdk/units'
import { type Definition, INSTANCE, TENANT } from './dashboard.ts'
import { pipelineRuns, quantile, quantiles, rate, select } from './promql.ts'

const NO_OPERATIONS = 'endpoint!="operations"'
const OF_TENANT = 'tenant=~"$tenant"'
/** Degradations that a model causes. */
const BY_MODELS = 'code=~"embedder_.*|reranker_.*|rerank_(skipped|partial)"'
const requests = rate('', 'stowage_requests_total', NO_OPERATIONS)

/** For the person on call: is it working, and if not, which part is it? */
export const overview: Definition = {
  uid: 'stowage-overview',
  title: 'stowage: overview',
  description:
    'For the person on call. The first row answers: is it stowage, Qdrant or a model? docs/operations.md explains each panel.',
  choices: [INSTANCE, TENANT],
  rows: [
    {
      title: 'Is it stowage, Qdrant or a model?',
      height: 5,
      panels: [
        {
          title: 'Requests',
          shows: 'Requests per second on all routes but health checks and scrapes.',
          whenBad:
            'Zero means that the backend no longer talks to stowage. Check the address in the backend, and the network between both. Look at "Alerts that fire".',
          unit: units.RequestsPerSecond,
          width: 4,
          isStat: true,
          queries: [[requests, 'requests']],
        },
        {
          title: 'stowage: unexpected errors',
          shows: 'Share of requests that stowage answered with a 500 of its own.',
          whenBad:
            'Each of them is a fault in stowage. Search the log for "request failed", which has the stack. Searches on the paths of Qdrant fall back to Qdrant by themselves.',
          unit: units.PercentUnit,
          width: 4,
          isStat: true,
          steps: [
            [null, 'green'],
            [0.001, 'orange'],
            [0.01, 'red'],
          ],
          queries: [[`${rate('', 'stowage_requests_total', 'outcome="internal_error"')} / ${requests}`, 'share']],
        },
        {
          title: 'Qdrant: failed answers',
          shows: 'Share of requests to Qdrant that ended with a status of 500 or more, or without an answer.',
          whenBad:
            'Qdrant or the network to it fails. Ask Qdrant directly (curl $QDRANT_URL/readyz), and read its log. stowage cannot mend this.',
          unit: units.PercentUnit,
          width: 4,
          isStat: true,
          steps: [
            [null, 'green'],
            [0.01, 'orange'],
            [0.05, 'red'],
          ],
          queries: [
            [
              `${rate('', 'stowage_upstream_responses_total', 'status=~"5xx|none"')} / ${rate('', 'stowage_upstream_responses_total')}`,
              'share',
            ],
          ],
        },
        {
          title: 'Models: degraded steps',
          shows: 'Degraded steps of the embedder and the reranker for each request that ran through the pipeline.',
          whenBad:
            'Answers still come, with less quality. "Degraded steps" below names the code. Codes that end in unavailable mean a missing model: run stowage doctor.',
          unit: units.PercentUnit,
          width: 4,
          isStat: true,
          steps: [
            [null, 'green'],
            [0.05, 'orange'],
            [0.2, 'red'],
          ],
          queries: [[`${rate('', 'stowage_degraded_total', BY_MODELS)} / ${pipelineRuns()}`, 'share']],
        },
        {
          title: 'Event loop delay, p99',
          shows: 'How long the process of stowage was not able to react, worst instance.',
          whenBad:
            'stowage itself is the bottleneck. Look at CPU below: when it is at its limit, add an instance; when it is not, other programs take the cores.',
          unit: units.Seconds,
          width: 4,
          isStat: true,
          steps: [
            [null, 'green'],
            [0.05, 'orange'],
            [0.2, 'red'],
          ],
          queries: [[`max(${select('nodejs_eventloop_lag_p99_seconds')})`, 'delay']],
        },
        {
          title: 'Alerts that fire',
          shows: 'Number of alerts of stowage that fire now.',
          whenBad: 'Open the alerts in Prometheus. Each one links to its section of docs/operations.md.',
          unit: units.Short,
          width: 4,
          isStat: true,
          steps: [
            [null, 'green'],
            [1, 'red'],
          ],
          queries: [['count(ALERTS{alertname=~"Stowage.*", alertstate="firing"}) or vector(0)', 'alerts']],
        },
      ],
    },
    {
      title: 'Traffic and errors',
      height: 8,
      panels: [
        {
          title: 'Requests by endpoint',
          shows:
            'Requests per second. "points" are searches on the paths of Qdrant that stowage may improve, "passthrough" is everything else.',
          whenBad:
            'A sudden change comes from the clients. Compare with the time of the last deployment of the backend.',
          unit: units.RequestsPerSecond,
          width: 6,
          isStacked: true,
          queries: [[rate('endpoint', 'stowage_requests_total'), '{{endpoint}}']],
        },
        {
          title: 'Answers that are not ok',
          shows:
            'Share of answers by endpoint and outcome. "upstream_error" is 502, 503 or 504, also of a full queue, and what Qdrant itself failed or broke off; "aborted" are clients that left.',
          whenBad:
            'Many client_error: a client sends wrong requests or a wrong key. Many upstream_error: look at "Answers of Qdrant" and "Requests that wait". Many aborted: the timeout of the client is shorter than the time of the answer.',
          unit: units.PercentUnit,
          width: 6,
          queries: [
            [
              `${rate('endpoint, outcome', 'stowage_requests_total', 'outcome!="ok"', NO_OPERATIONS)} / ignoring (outcome) group_left ${rate('endpoint', 'stowage_requests_total', NO_OPERATIONS)}`,
              '{{endpoint}} {{outcome}}',
            ],
          ],
        },
        {
          title: 'Answers of Qdrant',
          shows:
            'Answers per second by status. "read" are reads of stowage itself, "forwarded" are requests of clients, "none" means no answer.',
          whenBad:
            '5xx or none: Qdrant fails or cannot be reached. 4xx of "forwarded": a client asks for something that is not there. 4xx of "read": Qdrant refuses what stowage asks, so improving pauses.',
          unit: units.RequestsPerSecond,
          width: 6,
          queries: [[rate('status, kind', 'stowage_upstream_responses_total'), '{{kind}} {{status}}']],
        },
        {
          title: 'Slow requests',
          shows: 'Requests per second that took longer than SLOW_REQUEST_MS, by endpoint.',
          whenBad:
            'The log has one warning for each, with the times of its stages. The slowest stage is the one to look at.',
          unit: units.RequestsPerSecond,
          width: 6,
          queries: [[rate('endpoint', 'stowage_slow_requests_total', NO_OPERATIONS), '{{endpoint}}']],
        },
      ],
    },
    {
      title: 'Latency',
      height: 8,
      panels: [
        {
          title: 'Request time, p50',
          shows: 'Half of the requests are faster, from the head of the request to the end of the answer.',
          whenBad: 'Compare with "Time of Qdrant" and "Stage time": the one that rises with it is the cause.',
          unit: units.Seconds,
          width: 6,
          queries: [[quantile(0.5, 'endpoint', 'stowage_request_seconds', NO_OPERATIONS), '{{endpoint}}']],
        },
        {
          title: 'Request time, p95',
          shows: 'One request in twenty is slower.',
          whenBad:
            'Find slow requests in the log (level warn): each line has the times of its stages. STOWAGE_DROPIN=passthrough takes searches out.',
          unit: units.Seconds,
          width: 6,
          queries: [[quantile(0.95, 'endpoint', 'stowage_request_seconds', NO_OPERATIONS), '{{endpoint}}']],
        },
        {
          title: 'Time of Qdrant',
          shows: 'p50 and p95 of the reads that stowage itself sends to Qdrant.',
          whenBad:
            'Qdrant is slow: look at its load, its memory and its indexes. stowage sends the original search beside the improved one meanwhile.',
          unit: units.Seconds,
          width: 6,
          queries: quantiles([0.5, 0.95], 'stowage_upstream_seconds'),
        },
        {
          title: 'Stage time, p95',
          shows: 'Time of each step of the pipeline.',
          whenBad:
            'retrieve: Qdrant or the embedder is slow. rerank: too many requests for the workers, or a slow endpoint. Others: the processor is busy.',
          unit: units.Seconds,
          width: 6,
          queries: [[quantile(0.95, 'stage', 'stowage_stage_seconds'), '{{stage}}']],
        },
      ],
    },
    {
      title: 'What stowage does without',
      height: 8,
      panels: [
        {
          title: 'Degraded steps',
          shows: 'Steps that could not do their work, per second, by code. docs/api.md explains each code.',
          whenBad:
            'rerank_shallow, rerank_skipped and rerank_partial: load, from little to too much. A code of the embedder: look at its endpoint. list_missing: run stowage doctor with the collection. no_query_text: the client does not send the question.',
          unit: units.CountsPerSecond,
          width: 8,
          isStacked: true,
          queries: [[rate('code', 'stowage_degraded_total'), '{{code}}']],
        },
        {
          title: 'Searches that pass through, by reason',
          shows:
            'Requests per second that went to Qdrant unchanged. The reason "route" is left out: it counts what stowage never improves.',
          whenBad:
            'query_not_understood: the client uses a search that stowage does not improve. busy or deadline: too much load. A reason that begins with upstream, or hedged: Qdrant.',
          unit: units.RequestsPerSecond,
          width: 8,
          isStacked: true,
          queries: [[rate('reason', 'stowage_passthrough_total', 'reason!="route"'), '{{reason}}']],
        },
        {
          title: 'Hedges and second attempts',
          shows:
            "The client's own search was sent beside the improved one, by which was answered first; and searches of /v1/context that were sent twice.",
          whenBad:
            'Many of them mean that Qdrant is slow or fails for moments. Each one is an additional search for Qdrant.',
          unit: units.RequestsPerSecond,
          width: 8,
          queries: [
            [rate('winner', 'stowage_hedges_total'), 'hedge, first: {{winner}}'],
            [rate('', 'stowage_search_retries_total'), 'second attempt'],
          ],
        },
      ],
    },
    {
      title: 'Endpoints of the reranker (only with RERANKER=http)',
      height: 8,
      panels: [
        {
          title: 'Calls of endpoints, by outcome',
          shows: 'Calls per second of each endpoint of RERANK_URL, by how they ended. Empty without RERANKER=http.',
          whenBad:
            'broken or failed: look at that endpoint. busy: it needs more processors, or a fleet needs another endpoint. overtaken or overdue: it is slow or hangs.',
          unit: units.CountsPerSecond,
          width: 8,
          isStacked: true,
          queries: [[rate('node, outcome', 'stowage_rerank_node_calls_total'), '{{node}} {{outcome}}']],
        },
        {
          title: 'Time of endpoints, p95',
          shows: 'Time of the calls that an endpoint answered.',
          whenBad: 'One slow endpoint gets fewer requests by itself. All slow: add an endpoint.',
          unit: units.Seconds,
          width: 8,
          queries: [[quantile(0.95, 'node', 'stowage_rerank_node_seconds'), '{{node}}']],
        },
        {
          title: 'Endpoints left out, hedges and retries',
          shows:
            'Endpoints that are left out now, and requests per second that were sent to a second endpoint because the first took long or failed.',
          whenBad: 'stowage doctor asks each endpoint and says what is wrong. At most one request in ten has a hedge.',
          unit: units.Short,
          width: 8,
          queries: [
            [`sum by (node) (${select('stowage_rerank_node_left_out')})`, 'left out: {{node}}'],
            [rate('winner', 'stowage_rerank_hedges_total'), 'hedge, first: {{winner}}'],
            [rate('', 'stowage_rerank_retries_total'), 'retry'],
          ],
        },
      ],
    },
    {
      title: 'Load and process',
      height: 8,
      panels: [
        {
          title: 'Requests that wait',
          shows: 'Requests of /v1/context that wait for a place, work that waits for the reranker, and shadow runs.',
          whenBad:
            'A queue that stays above zero means more requests than stowage can do. First it gives up reranking, then it answers 503. Add an instance, or set limits for tenants (docs/limits.md).',
          unit: units.Short,
          width: 6,
          queries: [
            [`sum(${select('stowage_waiting_requests')})`, 'requests'],
            [`sum(${select('stowage_rerank_queue')})`, 'reranker'],
            [`sum(${select('stowage_shadow_queue')})`, 'shadow runs'],
          ],
        },
        {
          title: 'Improving pauses, models missing',
          shows: 'Collections for which improving pauses, and configured models that are missing.',
          whenBad:
            'A paused collection: Qdrant is slow or refuses improved searches of it. A missing model: GET /readyz says why.',
          unit: units.Short,
          width: 6,
          queries: [
            [`sum(${select('stowage_paused_collections')})`, 'paused collections'],
            [`sum by (model) (${select('stowage_model_unavailable')})`, 'missing: {{model}}'],
          ],
        },
        {
          title: 'CPU and event loop',
          shows: 'Processor cores in use, and the delay of the event loop.',
          whenBad:
            'Above 0.2 s of delay nothing in this process is in time. Cores at their limit: add an instance. Cores free: a long piece of work holds the loop; report it.',
          unit: units.Short,
          width: 6,
          queries: [
            [
              `sum by (instance) (rate(${select('process_cpu_seconds_total')}[$__rate_interval]))`,
              'cores {{instance}}',
            ],
            [select('nodejs_eventloop_lag_p99_seconds'), 'delay p99, s {{instance}}'],
          ],
        },
        {
          title: 'Memory',
          shows: 'Resident memory of the process, and the part that JavaScript uses.',
          whenBad:
            'A line that rises for hours is a leak: restart the instance and keep the graph. A high flat line comes from models, traces and caches.',
          unit: units.BytesIEC,
          width: 6,
          queries: [
            [select('process_resident_memory_bytes'), 'resident {{instance}}'],
            [select('stowage_memory_limit_bytes'), 'limit {{instance}}'],
            [select('nodejs_heap_size_used_bytes'), 'heap {{instance}}'],
          ],
        },
      ],
    },
    {
      title: 'Shared store (only with REDIS_URL)',
      height: 8,
      panels: [
        {
          title: 'Shared store: instances that go on alone',
          shows: 'Instances that cannot read or write the store that they share. They answer, from their own memory.',
          whenBad:
            'Both: Redis is down, slow or refuses the password. Only write: Redis is full; give it memory, or a maxmemory-policy that evicts.',
          unit: units.Short,
          width: 6,
          queries: [
            [`count by (operation) (${select('stowage_shared_store_available')} == 0)`, 'cannot {{operation}}'],
          ],
        },
        {
          title: 'Shared store: values found',
          shows: 'Share of the values that were looked for and found, by kind.',
          whenBad:
            'unreadable, in the metrics: instances of different versions, or with different keys of encryption. A share that falls to zero: the store evicts too early, or the address of Qdrant is spelt differently at the instances.',
          unit: units.PercentUnit,
          width: 6,
          queries: [
            [
              `${rate('kind', 'stowage_shared_reads_total', 'result="hit"')} / ${rate('kind', 'stowage_shared_reads_total')}`,
              '{{kind}}',
            ],
          ],
        },
        {
          title: 'Shared store: values not written',
          shows: 'Values per second that were not shared, by kind and reason. "skipped": the call before had failed.',
          whenBad:
            'failed and skipped: look at "instances that go on alone". too_large: answers of more than 512 KiB, which only their own instance keeps.',
          unit: units.CountsPerSecond,
          width: 6,
          isStacked: true,
          queries: [[rate('kind, result', 'stowage_shared_writes_total', 'result!="done"'), '{{kind}} {{result}}']],
        },
        {
          title: 'Shared store: time of a call',
          shows:
            'p50 and p95 of the calls that were answered. A call that takes longer than REDIS_TIMEOUT_MS is given up.',
          whenBad:
            'Above 5 ms the store is far away or busy. Requests wait for it before they look into their own memory.',
          unit: units.Seconds,
          width: 6,
          queries: quantiles([0.5, 0.95], 'stowage_shared_seconds'),
        },
      ],
    },
    {
      title: 'Tenants and limits (only with TENANTS_FILE)',
      height: 8,
      panels: [
        {
          title: 'Requests by tenant',
          shows: 'Requests per second. Empty without a file of tenants.',
          whenBad: 'One tenant that takes most of the traffic should have a limit (docs/limits.md).',
          unit: units.RequestsPerSecond,
          width: 6,
          isStacked: true,
          queries: [[rate('tenant', 'stowage_tenant_requests_total', OF_TENANT), '{{tenant}}']],
        },
        {
          title: 'Time by tenant, p95',
          shows: 'Contexts and improved searches.',
          whenBad: 'One slow tenant: look at its collection and its plan. All slow: look at the row "Latency".',
          unit: units.Seconds,
          width: 6,
          queries: [[quantile(0.95, 'tenant', 'stowage_tenant_request_seconds', OF_TENANT), '{{tenant}}']],
        },
        {
          title: 'Refused by a limit',
          shows: 'Requests per second that got 429, by tenant and limit.',
          whenBad:
            'Short peaks are what limits are for. When it lasts, the limit is too low or the tenant has a loop: ask the tenant first.',
          unit: units.RequestsPerSecond,
          width: 6,
          queries: [[rate('tenant, limit', 'stowage_tenant_limited_total', OF_TENANT), '{{tenant}} {{limit}}']],
        },
        {
          title: 'Refused by a guard',
          shows:
            'Requests of tenants that were refused because they are not allowed, by status; and points that the ingestion guard refused.',
          whenBad:
            'Many 403 and 404 from one moment on: a client was changed, or a key is being tried out. The log has the tenant of each request.',
          unit: units.RequestsPerSecond,
          width: 6,
          queries: [
            [rate('status', 'stowage_guard_refusals_total'), 'status {{status}}'],
            [rate('action, reason', 'stowage_guarded_upserts_total'), 'upserts {{action}} {{reason}}'],
          ],
        },
      ],
    },
    {
      title: 'Configuration',
      height: 5,
      panels: [
        {
          title: 'File of tenants refused',
          shows: '1 while the file has faults, so that the tenants of before are used.',
          whenBad:
            'The log names the faults; stowage tenants check does too. Mend the file; it is read again by itself.',
          unit: units.Short,
          width: 4,
          isStat: true,
          steps: [
            [null, 'green'],
            [1, 'red'],
          ],
          queries: [[`max(${select('stowage_tenants_file_refused')})`, 'refused']],
        },
        {
          title: 'Flags: Unleash answers',
          shows: '1 while Unleash answers, 0 while known values are used. Empty without Unleash.',
          whenBad:
            'Requests go on with the last known flags. A flip in Unleash has no effect until it answers. STOWAGE_FLAGS_OFF works at a restart.',
          unit: units.Short,
          width: 4,
          isStat: true,
          steps: [
            [null, 'red'],
            [1, 'green'],
          ],
          queries: [[`min(${select('stowage_flags_source_up')})`, 'answers']],
        },
        {
          title: 'Flags: age',
          shows: 'Time since the last successful refresh, oldest instance.',
          whenBad: 'More than a few refreshes old: see "Flags: Unleash answers".',
          unit: units.Seconds,
          width: 4,
          isStat: true,
          queries: [[`time() - min(${select('stowage_flags_refresh_timestamp_seconds')})`, 'age']],
        },
        {
          title: 'Flags with a fault',
          shows:
            'Flags that name nothing known, or hold values that no plan can have, and one more when the file of flags or plans is refused.',
          whenBad: 'These flags have no effect. The log names each one; stowage flags does too.',
          unit: units.Short,
          width: 4,
          isStat: true,
          steps: [
            [null, 'green'],
            [1, 'orange'],
          ],
          queries: [
            [`max(${select('stowage_flags_unknown')}) + max(${select('stowage_flags_file_refused')})`, 'flags'],
          ],
        },
        {
          title: 'Versions',
          shows: 'Number of instances by version of stowage and of Node, and of all their workers.',
          whenBad: 'Two versions for more than the time of a deployment: a deployment stopped half way.',
          unit: units.Short,
          width: 4,
          isStat: true,
          queries: [
            [`sum by (version, node) (${select('stowage_build_info')})`, '{{version}} on Node {{node}}'],
            [`sum(${select('stowage_workers')})`, 'workers'],
          ],
        },
        {
          title: 'Starts in the last hour',
          shows: 'How often an instance was started again, and lines of the log that nobody could take.',
          whenBad:
            'Without a deployment, the process crashes or is killed. Its last lines in the log say why; a kill without a line is often the memory limit. Workers that hung were killed by stowage. Dropped lines: the reader of the log stands still, or its disk is full.',
          unit: units.Short,
          width: 4,
          isStat: true,
          steps: [
            [null, 'green'],
            [2, 'red'],
          ],
          queries: [
            [`max(changes(${select('process_start_time_seconds')}[1h]))`, 'starts'],
            [`sum(increase(${select('stowage_worker_restarts_total')}[1h]))`, 'workers lost'],
            [`sum(increase(${select('stowage_worker_hangs_total')}[1h]))`, 'of them killed because they hung'],
            [`sum(increase(${select('stowage_log_lines_dropped_total')}[1h]))`, 'lines of the log dropped'],
          ],
        },
      ],
    },
  ],
}
