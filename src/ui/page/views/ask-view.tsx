import { useMemo, useState } from 'preact/hooks'
import type { Comparison } from '../../../http/ui/schemas.ts'
import type { Address } from '../address.ts'
import { ask } from '../api.ts'
import { marksFor } from '../model/marks.ts'
import { runsOf, textsOf } from '../model/run.ts'
import { Progress } from '../parts/progress.tsx'
import { type Question, QuestionForm, RIVAL_NAMES } from '../parts/question-form.tsx'
import { Runs } from '../parts/runs.tsx'
import { useRequest } from '../use-request.ts'

interface Asked {
  question: Question
  comparison: Comparison
}

/** A question, and what stowage and plain top-k pack for it. */
export function AskView({ apiKey, address }: { apiKey: string; address: Address }) {
  const { requested, start, cancel } = useRequest<Asked>()
  const [expected, setExpected] = useState('')
  const submit = (question: Question) =>
    start(async signal => {
      const body = bodyOf(question)
      return { question, comparison: await ask<Comparison>('/v1/ui/compare', { key: apiKey, body, signal }) }
    })
  const done = requested.state === 'there' ? summary(requested.value) : null
  return (
    <>
      <QuestionForm
        apiKey={apiKey}
        address={address}
        expected={expected}
        onExpected={setExpected}
        onSubmit={submit}
        waiting={requested.state === 'waiting'}
        onCancel={cancel}
      />
      <Progress requested={requested} waiting="Searching and packing twice … Escape cancels." done={done} />
      {requested.state === 'there' && <Answer {...requested.value} expected={expected} apiKey={apiKey} />}
    </>
  )
}

function Answer({ question, comparison, expected, apiKey }: Asked & { expected: string; apiKey: string }) {
  const runs = useMemo(() => runsOf(comparison, RIVAL_NAMES[question.against]), [comparison, question])
  const marks = useMemo(() => marksFor(question.query, expected, runs.flatMap(textsOf)), [question, expected, runs])
  return (
    <Runs
      scope="ask"
      runs={runs}
      marks={marks}
      expected={expected}
      question={question.query}
      apiKey={apiKey}
      missing={comparison.passages_missing}
    />
  )
}

function bodyOf({ query, collection, budget, against }: Question): object {
  const names = collection.split(',').flatMap(name => name.trim() || [])
  const budget_tokens = budget === '' ? {} : { budget_tokens: Number(budget) }
  return { query, collection: names.length === 1 ? names[0] : names, against, ...budget_tokens }
}

function summary({ comparison: { stowage, top_k } }: Asked): string {
  return `Done: stowage packed ${stowage.chunks.length} chunks, plain top-k ${top_k.chunks.length}.`
}
