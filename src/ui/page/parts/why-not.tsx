import { useEffect, useId, useState } from 'preact/hooks'
import { DROP_REASONS } from '../../../core/vocabulary.ts'
import type { Passage, Passages } from '../../../http/ui/schemas.ts'
import { counted } from '../../../text/printable.ts'
import { Sentence } from '../../../web/page/sentence.tsx'
import { score } from '../../../web/page/signal-lists.tsx'
import { ask } from '../api.ts'
import type { Row, Run } from '../model/run.ts'
import { hasWords, listEnds, mayBeId, termsOfQuestion, whatHappened } from '../model/why.ts'

interface WhyNotProps {
  run: Run
  question: string
  apiKey: string
}

/** Says what happened to a passage that the reader names. */
export function WhyNot({ run, question, apiKey }: WhyNotProps) {
  const id = useId()
  const [asked, setAsked] = useState('')
  const why = whatHappened(asked, run)
  return (
    <>
      <span class="control wide">
        <label for={id}>Id, document or text</label>
        <input
          id={id}
          class="why-text"
          type="search"
          maxLength={8_192}
          spellcheck={false}
          dir="auto"
          value={asked}
          onInput={event => setAsked(event.currentTarget.value)}
        />
      </span>
      <div class="why" role="status">
        {hasWords(asked) &&
          (why.by === null ? (
            <NeverFound asked={asked.trim()} rows={why.rows} run={run} question={question} apiKey={apiKey} />
          ) : (
            <ul>
              {why.rows.map(row => (
                <li key={row.key}>
                  <Happened row={row} />
                </li>
              ))}
            </ul>
          ))}
      </div>
    </>
  )
}

/** One sentence on the decision about a candidate. */
function Happened({ row: { candidate, name, evidence } }: { row: Row }) {
  const { id, reason, position, tokens, lists, rerank, final } = candidate
  const found = lists.flatMap(({ source, rank }) => (rank === null ? [] : [`rank ${rank} in ${source}`]))
  return (
    <>
      <b dir="auto">{name}</b> (point {String(id)}):{' '}
      {reason === null ? (
        <>
          packed at place {position}, {counted(tokens ?? 0, 'token')}.
        </>
      ) : (
        <>
          dropped because of <code>{reason}</code>. <Sentence text={DROP_REASONS[reason]} />
          {evidence !== '' && ` ${evidence}.`}
        </>
      )}
      <small>
        {found.length > 0 ? `Found at ${found.join(', ')}` : 'Found by no list itself'}
        {rerank !== null && ` · reranker ${score(rerank)}`} · value {score(final)}
      </small>
    </>
  )
}

function NeverFound({ asked, rows, run, question, apiKey }: WhyNotProps & { asked: string; rows: Row[] }) {
  const ends = listEnds(run.trace)
  return (
    <>
      <p>
        <b>Never retrieved:</b> no candidate has this id, document or text, so nothing decided about it.
      </p>
      {ends.length > 0 && (
        <p>
          {ends
            .map(
              ({ source, rank, score: last }) =>
                `The list ${source} ends at rank ${rank} with the score ${score(last)}.`,
            )
            .join(' ')}{' '}
          What scores less is no candidate; <code>retrieval.weights.k</code> of the plan says how long the lists are.
        </p>
      )}
      {mayBeId(asked) && <PointFacts id={asked} run={run} question={question} apiKey={apiKey} />}
      {rows.length > 0 && (
        <>
          <p>The nearest candidates, by shared words:</p>
          <ul>
            {rows.map(row => (
              <li key={row.key}>
                <Happened row={row} />
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

/** Looks whether there is such a point at all, and what it has of the question. */
function PointFacts({ id, run, question, apiKey }: WhyNotProps & { id: string }) {
  const [found, setFound] = useState<Passage[] | string | null>(null)
  const places = run.trace.collections.join(', ')
  useEffect(() => {
    const controller = new AbortController()
    const points = run.trace.collections.map(collection => ({ collection, id }))
    setFound(null)
    ask<Passages>('/v1/ui/passages', { key: apiKey, body: { points }, signal: controller.signal })
      .then(({ passages }) => setFound(passages))
      .catch(error => {
        if (!controller.signal.aborted) setFound(String(error.message))
      })
    return () => controller.abort()
  }, [id, apiKey, run])
  if (found === null) return <p>Looking for point {id} …</p>
  if (typeof found === 'string')
    return (
      <p>
        Point {id} could not be looked at: {found}
      </p>
    )
  const [point] = found
  if (!point)
    return (
      <p>
        There is no point {id} in {places} that your key reads.
      </p>
    )
  const { shared, asked } = termsOfQuestion(question, point.text)
  return (
    <>
      <p>
        Point {id} is in {point.collection}. It holds {shared} of the {counted(asked, 'term')} of the question:
      </p>
      <blockquote dir="auto">{point.text}</blockquote>
    </>
  )
}
