import { useState } from 'preact/hooks'
import { Section, Select } from '../../../web/page/controls.tsx'
import { percent } from '../model/figures.ts'
import { type Marks, shareFound } from '../model/marks.ts'
import { keysWithTexts, type Run, textsOf } from '../model/run.ts'
import { Candidates } from './candidates.tsx'
import { Facts } from './facts.tsx'
import { Side } from './side.tsx'
import { Stages } from './stages.tsx'
import { WhyNot } from './why-not.tsx'

interface RunsProps {
  /** Makes ids unique: two views can be there, one of them hidden. */
  scope: string
  /** One run, or stowage and the one beside it. */
  runs: readonly Run[]
  marks: Marks
  question: string
  expected: string
  apiKey: string
  /** Why texts are missing; null when none is. */
  missing: string | null
}

const MARKED = {
  expected: 'Marked: text that stands in the expected answer, in runs of five words or whole sentences.',
  near: 'Marked: the sentences that hold most of the terms of the question.',
  none: 'Nothing is marked: the only term of the question is in most sentences.',
}

/** Everything about one run, or about two side by side. */
export function Runs({ scope, runs, marks, question, expected, apiKey, missing }: RunsProps) {
  const [stowage, other] = runs
  const [chosen, setChosen] = useState(0)
  const run = runs[chosen] ?? stowage
  if (!stowage || !run) return null
  const sides = other ? [other, stowage] : [stowage]
  const choose = other && (
    <Select
      label="Run"
      value={chosen}
      options={runs.map(({ title }, at) => [at, title] as const)}
      onChange={setChosen}
    />
  )
  return (
    <>
      {missing !== null && <p class="notice">Texts of candidates could not be read: {missing}</p>}
      <Section
        id={`${scope}-contexts`}
        title={other ? 'Both contexts' : 'The context'}
        lead={`${MARKED[marks.kind]}${other && expected === '' ? ' Give the text of the answer that you expect to see where it is.' : ''}`}
      >
        <div class={other ? 'two' : undefined}>
          {sides.map(side => (
            <Side
              key={side.title}
              run={side}
              marks={marks}
              others={other ? keysWithTexts((side === stowage ? other : stowage).blocks, stowage.trace) : null}
              found={foundText(shareFound(expected, textsOf(side)))}
            />
          ))}
        </div>
      </Section>
      <Section id={`${scope}-facts`} title="What happened" lead="Of the run of stowage, as its trace tells.">
        <Facts run={stowage} />
      </Section>
      <Section
        id={`${scope}-why`}
        title="Why not this chunk?"
        lead="The id of a point, a document, or a piece of text: what happened to it."
        controls={choose}
      >
        <WhyNot run={run} question={question} apiKey={apiKey} />
      </Section>
      <Section
        id={`${scope}-candidates`}
        title="Every candidate"
        lead="What the searches found, and what became of it. Open a row for its signals and its text."
        controls={choose}
      >
        <Candidates key={run.trace.trace_id} run={run} marks={marks} />
      </Section>
      <Section
        id={`${scope}-stages`}
        title="Stage times"
        lead="When each stage ran, and the candidates before and after it."
      >
        <div class={other ? 'two' : undefined}>
          {sides.map(side => (
            <Stages key={side.title} run={side} />
          ))}
        </div>
      </Section>
    </>
  )
}

function foundText(share: number | null): string | null {
  return share === null ? null : `${percent(share)} of the words of the expected answer are here.`
}
