import { useCallback, useEffect, useState } from 'preact/hooks'
import type { z } from 'zod'
import { codesOf, VERDICTS } from '../../../core/vocabulary.ts'
import type { tracesResponseSchema } from '../../../http/ui/schemas.ts'
import type { TraceSummary } from '../../../pipeline/trace/summary.ts'
import { counted } from '../../../text/printable.ts'
import { Select } from '../../../web/page/controls.tsx'
import { type Column, DataTable } from '../../../web/page/data-table.tsx'
import { linkToTrace } from '../address.ts'
import { ask } from '../api.ts'
import { count, time } from '../model/figures.ts'
import { Progress } from '../parts/progress.tsx'
import { useRequest } from '../use-request.ts'

type Traces = z.infer<typeof tracesResponseSchema>

const NO_FILTER = { endpoint: '', degraded: '', verdict: '', query: '', min_ms: '' }
const LIMIT = 200

/** The last requests of the same key or tenant. */
export function RecentView({ apiKey }: { apiKey: string }) {
  const { requested, start } = useRequest<Traces>()
  const [filter, setFilter] = useState(NO_FILTER)
  const [shown, setShown] = useState<Traces | null>(null)
  const refresh = useCallback(() => {
    const given = Object.entries(filter).filter(([, value]) => value !== '')
    const search = new URLSearchParams([...given, ['limit', String(LIMIT)]])
    start(signal => ask<Traces>(`/v1/traces?${search}`, { key: apiKey, signal }))
  }, [filter, apiKey, start])
  useEffect(refresh, [refresh])
  // The list stays while the next one is on its way.
  useEffect(() => {
    if (requested.state === 'there') setShown(requested.value)
    if (requested.state === 'failed') setShown(null)
  }, [requested])
  const change = (changes: Partial<typeof NO_FILTER>) => setFilter({ ...filter, ...changes })
  return (
    <section class="card" aria-label="Requests">
      <p class="lead">
        The last requests of the same key or tenant. Without keys and tenants, everybody counts as one: you see the
        questions of all who use this stowage.
      </p>
      <div class="controls">
        <Select
          label="Endpoint"
          value={filter.endpoint}
          options={[
            ['', 'all'],
            ['context', '/v1/context'],
            ['points', 'searches on Qdrant’s paths'],
          ]}
          onChange={endpoint => change({ endpoint })}
        />
        <Select
          label="Steps left out"
          value={filter.degraded}
          options={[
            ['', 'all'],
            ['true', 'degraded only'],
            ['false', 'complete only'],
          ]}
          onChange={degraded => change({ degraded })}
        />
        <Select
          label="Verdict"
          value={filter.verdict}
          options={[['', 'all'], ...codesOf(VERDICTS).map((verdict): [string, string] => [verdict, verdict])]}
          onChange={verdict => change({ verdict })}
        />
        <Select
          label="Time"
          value={filter.min_ms}
          options={[
            ['', 'all'],
            ['200', '200 ms or more'],
            ['1000', '1 s or more'],
            ['5000', '5 s or more'],
          ]}
          onChange={min_ms => change({ min_ms })}
        />
        <span class="control">
          <label for="recent-query">Question contains</label>
          <input
            id="recent-query"
            type="search"
            value={filter.query}
            onInput={event => change({ query: event.currentTarget.value })}
          />
        </span>
        <button type="button" onClick={refresh}>
          Refresh
        </button>
      </div>
      <Progress
        requested={requested}
        waiting="Reading the list …"
        done={shown && `${counted(shown.traces.length, 'request')} of ${count(shown.kept)} that are kept.`}
      />
      {shown && (
        <DataTable
          caption="Recent requests, the newest first"
          columns={COLUMNS}
          rows={shown.traces}
          keyOf={({ trace_id }) => trace_id}
          empty={
            shown.kept === 0
              ? 'No request of this key is kept yet. Ask a question, or send one to /v1/context.'
              : 'No request fits these filters.'
          }
        />
      )}
    </section>
  )
}

const COLUMNS: Column<TraceSummary>[] = [
  {
    title: 'Question',
    className: 'prose',
    cell: ({ trace_id, query, collections }) => (
      <>
        <a href={linkToTrace(trace_id)} dir="auto">
          {query ?? 'a search without text'}
        </a>
        <small>{collections.join(', ')}</small>
      </>
    ),
  },
  { title: 'Time', className: 'nowrap', cell: ({ started_at }) => new Date(started_at).toLocaleTimeString('en-GB') },
  {
    title: 'Endpoint',
    cell: ({ endpoint, shadow_of, assignment }) => (
      <>
        {endpoint === 'points' ? 'search' : endpoint}
        {shadow_of !== null && <small>shadow run</small>}
        {assignment !== null && (
          <small>
            {assignment.experiment}: {assignment.variant}
          </small>
        )}
      </>
    ),
  },
  {
    title: 'Plan',
    cell: ({ plan, plan_fingerprint, cache }) => (
      <>
        {cache === 'hit' ? `${plan} (from the cache)` : plan}
        <small>{plan_fingerprint}</small>
      </>
    ),
  },
  { title: 'Took', numeric: true, cell: ({ duration_ms }) => time(duration_ms) },
  { title: 'Packed', numeric: true, cell: ({ counts }) => `${counts.packed} of ${counts.retrieved}` },
  { title: 'Tokens', numeric: true, cell: ({ budget }) => `${count(budget.used)} of ${count(budget.tokens)}` },
  { title: 'Verdict', cell: ({ answerable }) => answerable?.verdict ?? '' },
  {
    title: 'Degraded',
    cell: ({ degraded }) => (degraded.length === 0 ? 'no' : degraded.map(({ code }) => code).join(', ')),
  },
]
