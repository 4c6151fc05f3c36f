import { ANSWERABLE_REASONS, DEGRADATIONS, VERDICTS } from '../../../core/vocabulary.ts'
import { Fact } from '../../../web/page/fact.tsx'
import { Sentence } from '../../../web/page/sentence.tsx'
import { linkToTrace } from '../address.ts'
import { percent, time } from '../model/figures.ts'
import type { Run } from '../model/run.ts'

/** Verdict, degradations, plan, cache and intent of a run, in words. */
export function Facts({ run }: { run: Run }) {
  const { trace } = run
  const {
    answerable,
    corrections,
    named_documents: named = [],
    intent,
    mode,
    plan,
    plan_fingerprint,
    cache,
    degraded,
    counts,
    assignment,
    trace_id,
  } = trace
  return (
    <dl class="facts">
      {answerable && (
        <Fact name="Answerable">
          <b class={`verdict ${TONES[answerable.verdict]}`}>
            {answerable.verdict} ({percent(answerable.probability)})
          </b>{' '}
          {VERDICTS[answerable.verdict]}
          {answerable.reasons.map(reason => (
            <small key={reason}>{ANSWERABLE_REASONS[reason]}</small>
          ))}
        </Fact>
      )}
      <Fact name="Left out">
        {degraded.length === 0
          ? 'No step: everything was done.'
          : degraded.map(({ code, detail }) => (
              <p key={`${code} ${detail}`}>
                <code>{code}</code> <Sentence text={DEGRADATIONS[code]} />
                {detail !== '' && <small>{detail}</small>}
              </p>
            ))}
      </Fact>
      {corrections && (
        <Fact name="Spelling">
          {corrections.map(({ word, correction }) => `“${word}” was searched as “${correction}”`).join(', ')}
        </Fact>
      )}
      <Fact name="Intent">{intent === null ? 'not looked at' : `${intent.label}, by the rule “${intent.rule}”`}</Fact>
      <Fact name="Searched">
        {mode === null
          ? 'as the client asked'
          : `${mode.used ?? 'nothing'}${mode.used === mode.asked ? '' : ` (asked: ${mode.asked})`}`}
        , in {trace.collections.join(', ')}
      </Fact>
      {named.length > 0 && (
        <Fact name="Named">
          The question names {named.map(({ doc_id }) => `“${doc_id}”`).join(', ')}. stowage searched there once more.
        </Fact>
      )}
      <Fact name="Candidates">
        {counts.retrieved} found, {counts.packed} packed, {counts.dropped} left out
      </Fact>
      <Fact name="Plan">
        {plan.name} <code>{plan_fingerprint}</code>
        {assignment !== null && ` (experiment ${assignment.experiment}, variant ${assignment.variant})`}
      </Fact>
      <Fact name="Cache">{CACHE[cache]}</Fact>
      <Fact name="Time">{time(trace.duration_ms)}</Fact>
      <Fact name="Trace">
        <a href={linkToTrace(trace_id)}>{trace_id}</a>
        <small>This link shows the same request again, to the same key or tenant, while it is kept.</small>
      </Fact>
    </dl>
  )
}

const TONES = { in_documents: 'helps', uncertain: 'unproven', not_in_documents: 'hurts' } as const
const CACHE = { hit: 'answered from the cache', miss: 'not in the cache', off: 'the cache is off' } as const
