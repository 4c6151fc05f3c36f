import * as units from '@grafana/grafana-foundation-sdk/units'
import { type Definition, INSTANCE, TENANT } from './dashboard.ts'
import { mean, pipelineRuns, quantile, quantiles, rate, select } from './promql.ts'

const OF_TENANT = 'tenant=~"$tenant"'

/** For the retrieval engineer: what does the pipeline pack, and what does it cost? */
export const packing: Definition = {
  uid: 'stowage-packing',
  title: 'stowage: packing',
  description:
    'For the retrieval engineer: what goes into the contexts, what is left out and why, and what each stage costs.',
  choices: [INSTANCE, TENANT],
  rows: [
    {
      title: 'The contexts',
      height: 8,
      panels: [
        {
          title: 'Tokens of a context',
          shows: 'p50 and p95 of the tokens of packed contexts.',
          whenBad:
            'Far below the budget: too few candidates, or caps and dedupe take most; see "Why candidates are dropped".',
          unit: units.Short,
          width: 6,
          queries: quantiles([0.5, 0.95], 'stowage_context_tokens'),
        },
        {
          title: 'Share of the budget in use',
          shows: 'p10, p50 and p95 of tokens divided by budget. It never exceeds 100 %.',
          whenBad:
            'Low p50 with many candidates dropped as over_budget: chunks are too large for the budget. Try smaller chunks, or PACKING_MODE=sentence.',
          unit: units.PercentUnit,
          width: 6,
          max: 1,
          queries: quantiles([0.1, 0.5, 0.95], 'stowage_context_budget_used_ratio'),
        },
        {
          title: 'Budget in use by tenant',
          shows: 'Tokens packed divided by tokens allowed, by tenant. Empty without a file of tenants.',
          whenBad:
            'A tenant near zero has an empty or wrong collection, or a condition that matches nothing. stowage doctor checks both.',
          unit: units.PercentUnit,
          width: 6,
          queries: [
            [
              `${rate('tenant', 'stowage_tenant_context_tokens_total', OF_TENANT)} / ${rate('tenant', 'stowage_tenant_context_budget_tokens_total', OF_TENANT)}`,
              '{{tenant}}',
            ],
          ],
        },
        {
          title: 'Packed chunks per request',
          shows: 'Mean number of chunks in an answer of /v1/context.',
          whenBad:
            'Close to one: chunks are as large as the budget, or documentCap is too strict. A sudden drop: look at "Degraded steps".',
          unit: units.Short,
          width: 6,
          // Searches pack no context, and an answer from the cache is no run of the pipeline: its tokens are observed once for each answer.
          queries: [
            [`${rate('', 'stowage_packed_chunks_total')} / ${rate('', 'stowage_context_tokens_count')}`, 'chunks'],
          ],
        },
      ],
    },
    {
      title: 'Quality without gold passages',
      height: 8,
      panels: [
        {
          title: 'Recall proxy',
          shows: 'Mean share of the first ten candidates of the searches that is in the answer, discounted by rank.',
          whenBad:
            'A fall after a change of the plan: measure both plans with stowage replay. A fall without a change: the reranker or a list is missing, or the corpus changed.',
          unit: units.PercentUnit,
          width: 6,
          max: 1,
          queries: [[mean('endpoint', 'stowage_recall_proxy_ratio'), '{{endpoint}}']],
        },
        {
          title: 'Recall proxy, worst tenth',
          shows: 'A tenth of the requests is at or below this value.',
          whenBad:
            'Read traces of such requests (GET /v1/traces/ID): the candidates name the reason why they were dropped.',
          unit: units.PercentUnit,
          width: 6,
          max: 1,
          queries: [[quantile(0.1, 'endpoint', 'stowage_recall_proxy_ratio'), '{{endpoint}}']],
        },
        {
          title: 'Do the documents answer?',
          shows: 'Share of the answers of /v1/context by verdict.',
          whenBad:
            'More not_in_documents: a source is no longer ingested, a condition hides it, or people ask about something new. GET /v1/traces?verdict=not_in_documents lists the questions.',
          unit: units.PercentUnit,
          width: 6,
          max: 1,
          queries: [
            [
              `${rate('verdict', 'stowage_answerable_total')} / on () group_left ${rate('', 'stowage_answerable_total')}`,
              '{{verdict}}',
            ],
          ],
        },
        {
          title: 'Redundancy',
          shows:
            'Words of a context divided by the words that its distinct 5-word shingles cover, p50 and p95. 1 means that nothing is said twice.',
          whenBad:
            'The corpus holds copies that dedupe does not find. Try a lower dedupe.containment, or MMR_ALPHA, and measure with stowage replay.',
          unit: units.Short,
          width: 6,
          queries: quantiles([0.5, 0.95], 'stowage_context_redundancy_ratio'),
        },
      ],
    },
    {
      title: 'What is left out',
      height: 8,
      panels: [
        {
          title: 'Why candidates are dropped',
          shows: 'Dropped candidates for each request, by the reason in the trace. docs/api.md explains each reason.',
          whenBad:
            'text_missing: set MAPPINGS. deadline: too much load. doc_cap or section_cap: the caps are too strict. duplicate: the corpus holds copies.',
          unit: units.Short,
          width: 12,
          isStacked: true,
          queries: [
            [
              `${rate('reason', 'stowage_dropped_candidates_total')} / on () group_left ${pipelineRuns()}`,
              '{{reason}}',
            ],
          ],
        },
        {
          title: 'Degraded steps',
          shows: 'Degraded steps for each request, by code.',
          whenBad:
            'The code says which step did not do its work; docs/api.md explains it. Answers have less quality until it is mended.',
          unit: units.PercentUnit,
          width: 6,
          queries: [[`${rate('code', 'stowage_degraded_total')} / on () group_left ${pipelineRuns()}`, '{{code}}']],
        },
        {
          title: 'Degraded requests by tenant',
          shows: 'Share of contexts and improved searches with at least one degraded step.',
          whenBad:
            'One tenant alone: its collection lacks a list, or its client does not send the question. All tenants: a model or the load.',
          unit: units.PercentUnit,
          width: 6,
          queries: [
            [
              `${rate('tenant', 'stowage_tenant_degraded_total', OF_TENANT)} / ${rate('tenant', 'stowage_tenant_request_seconds_count', OF_TENANT)}`,
              '{{tenant}}',
            ],
          ],
        },
      ],
    },
    {
      title: 'Stages',
      height: 8,
      panels: [
        {
          title: 'Stage time, p50',
          shows: 'Time of each step of the pipeline.',
          whenBad: 'Compare with docs/speed.md, on your machine.',
          unit: units.Seconds,
          width: 8,
          queries: [[quantile(0.5, 'stage', 'stowage_stage_seconds'), '{{stage}}']],
        },
        {
          title: 'Stage time, p95',
          shows: 'One request in twenty is slower.',
          whenBad:
            'The stage with the largest rise is the one to look at. Switch a rule off with its flag to see its part.',
          unit: units.Seconds,
          width: 8,
          queries: [[quantile(0.95, 'stage', 'stowage_stage_seconds'), '{{stage}}']],
        },
        {
          title: 'Time of a request, by stage',
          shows: 'Mean time that a request spends in each stage, added up.',
          whenBad: 'Spend effort where the band is widest.',
          unit: units.Seconds,
          width: 8,
          isStacked: true,
          queries: [
            [`${rate('stage', 'stowage_stage_seconds_sum')} / on () group_left ${pipelineRuns()}`, '{{stage}}'],
          ],
        },
      ],
    },
    {
      title: 'Reranker and cache',
      height: 8,
      panels: [
        {
          title: 'Pairs of the reranker',
          shows: 'Pairs of query and passage per second: scored by the model, found in the cache, or skipped.',
          whenBad: 'Skipped pairs keep their fused order. They come from load: lower rerank.depth, or add an instance.',
          unit: units.CountsPerSecond,
          width: 6,
          isStacked: true,
          queries: [[rate('result', 'stowage_rerank_pairs_total'), '{{result}}']],
        },
        {
          title: 'Passages of the reranker',
          shows:
            'Passages per second that the included reranker needed: found in memory, found on the disk, or unread. An unread one takes about 10 ms of a core.',
          whenBad: 'Many unread ones: raise RERANK_MEMORY_MB, or set RERANK_DISK_PATH and run stowage warm.',
          unit: units.CountsPerSecond,
          width: 6,
          isStacked: true,
          queries: [[rate('source', 'stowage_rerank_passages_total'), '{{source}}']],
        },
        {
          title: 'Queue of the reranker',
          shows: 'Work that waits for the reranker.',
          whenBad:
            'When it stays above zero, requests are not reranked (rerank_skipped). Lower rerank.depth, or add an instance.',
          unit: units.Short,
          width: 6,
          queries: [[`sum by (instance) (${select('stowage_rerank_queue')})`, '{{instance}}']],
        },
        {
          title: 'Contexts from the cache',
          shows: 'Share of requests of /v1/context that were answered from the cache. Empty while CACHE_TTL_MS is 0.',
          whenBad:
            'A low share is normal for real questions. A sudden fall means many writes through stowage, or a plan that changes often.',
          unit: units.PercentUnit,
          width: 6,
          max: 1,
          queries: [
            [
              `${rate('', 'stowage_cache_requests_total', 'result="hit"')} / ${rate('', 'stowage_cache_requests_total')}`,
              'hits',
            ],
          ],
        },
      ],
    },
    {
      title: 'Questions of searches',
      height: 7,
      panels: [
        {
          title: 'Questions by vector: lookups',
          shows: 'Vectors of searches per second, by how their question was looked for in the embedding relay.',
          whenBad:
            'Many unknown: the backend embeds past stowage, keeps vectors for longer than EMBEDDINGS_RELAY_TTL_MS, or another process relayed them. Ambiguous: one vector stands for different questions.',
          unit: units.RequestsPerSecond,
          width: 9,
          queries: [[rate('result', 'stowage_relay_lookups_total'), '{{result}}']],
        },
        {
          title: 'Questions by vector: remembered',
          shows:
            'Questions per second whose vectors were remembered, and requests to embed that were skipped or not readable.',
          whenBad:
            'Failed: the answers of the endpoint have another shape than expected. The clients get them all the same.',
          unit: units.RequestsPerSecond,
          width: 9,
          queries: [[rate('outcome', 'stowage_relay_questions_total'), '{{outcome}}']],
        },
        {
          title: 'Questions by vector: kept',
          shows: 'Vectors whose question is remembered now.',
          whenBad: 'It stays at EMBEDDINGS_RELAY_VECTORS: questions are forgotten before their time.',
          unit: units.Short,
          width: 6,
          queries: [[`sum(${select('stowage_relay_vectors')})`, 'vectors']],
        },
      ],
    },
    {
      title: 'Contexts of new points',
      height: 7,
      panels: [
        {
          title: 'Contexts of new points: outcomes',
          shows: 'Contexts per second, by what became of them.',
          whenBad:
            'Dropped or failed points have no context until stowage contextualize runs. Many fallbacks: the model is weak or away.',
          unit: units.Short,
          width: 6,
          queries: [[rate('outcome', 'stowage_contexts_total'), '{{outcome}}']],
        },
        {
          title: 'Contexts of new points: waiting',
          shows: 'Points that wait for a context.',
          whenBad: 'It grows: the model is slower than the upserts, or the contexts pause; see /readyz.',
          unit: units.Short,
          width: 6,
          queries: [[`sum(${select('stowage_context_queue_points')})`, 'points']],
        },
        {
          title: 'Contexts of new points: tokens',
          shows: 'Tokens per second of the calls of the model, by kind.',
          whenBad: 'Few cached tokens: the documents are short, or the endpoint does not cache.',
          unit: units.Short,
          width: 4,
          queries: [[rate('kind', 'stowage_context_tokens_total'), '{{kind}}']],
        },
        {
          title: 'Contexts of new points: dollars in an hour',
          shows: 'Cost in the last hour, by model; 0 when its price is not known.',
          whenBad: 'More than planned: use the rules for new points, and stowage contextualize with a budget.',
          unit: units.Short,
          width: 4,
          queries: [[`sum by (model) (increase(${select('stowage_context_cost_usd_total')}[1h]))`, '{{model}}']],
        },
        {
          title: 'Contexts of new points: quality',
          shows: 'Median and worst tenth of the quality, from 0 to 1.',
          whenBad: 'It falls: look at stowage contextualize --sample.',
          unit: units.PercentUnit,
          width: 4,
          queries: quantiles([0.1, 0.5], 'stowage_context_quality_ratio'),
        },
      ],
    },
  ],
}
