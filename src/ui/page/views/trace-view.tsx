import { useEffect, useMemo } from 'preact/hooks'
import type { Passage, Passages } from '../../../http/ui/schemas.ts'
import type { Trace } from '../../../pipeline/trace/schema.ts'
import { ask, Refusal } from '../api.ts'
import { marksFor } from '../model/marks.ts'
import { storedRun, textsOf } from '../model/run.ts'
import { Progress } from '../parts/progress.tsx'
import { Runs } from '../parts/runs.tsx'
import { useRequest } from '../use-request.ts'

interface Stored {
  trace: Trace
  passages: Passage[]
  missing: string | null
}

/** A trace that is kept, with the texts that the reader's own key may read. */
export function TraceView({ id, apiKey }: { id: string; apiKey: string }) {
  const { requested, start, cancel } = useRequest<Stored>()
  useEffect(() => start(signal => read(id, apiKey, signal)), [id, apiKey, start])
  return (
    <>
      <p class="lead">
        Trace <code>{id}</code>. A trace holds no texts: those of the points as they are now are read with your key.
      </p>
      <Progress requested={requested} waiting="Reading the trace … Escape cancels." done="The trace is here." />
      {requested.state === 'waiting' && (
        <button type="button" onClick={cancel}>
          Cancel
        </button>
      )}
      {requested.state === 'failed' && requested.refusal.code === 'not_found' && (
        <p class="notice">
          The last few hundred requests are kept, until stowage ends, and each is shown to the key or tenant that made
          it. If yours needs a key, enter it above.
        </p>
      )}
      {requested.state === 'there' && <Found {...requested.value} apiKey={apiKey} />}
    </>
  )
}

function Found({ trace, passages, missing, apiKey }: Stored & { apiKey: string }) {
  const run = useMemo(() => storedRun(trace, passages), [trace, passages])
  const question = trace.query ?? ''
  const marks = useMemo(() => marksFor(question, '', textsOf(run)), [question, run])
  return (
    <>
      <p class="asked" dir="auto">
        {question === '' ? 'A search without text' : question}
      </p>
      <Runs
        scope="trace"
        runs={[run]}
        marks={marks}
        expected=""
        question={question}
        apiKey={apiKey}
        missing={missing}
      />
    </>
  )
}

async function read(id: string, key: string, signal: AbortSignal): Promise<Stored> {
  const trace = await ask<Trace>(`/v1/traces/${encodeURIComponent(id)}`, { key, signal })
  const points = trace.candidates.map(({ collection, id: point }) => ({ collection, id: point }))
  try {
    const { passages } = await ask<Passages>('/v1/ui/passages', { key, body: { points }, signal })
    return { trace, passages, missing: null }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { trace, passages: [], missing: `${error.code}: ${error.message}` }
  }
}
