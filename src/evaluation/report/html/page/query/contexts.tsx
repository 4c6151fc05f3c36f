import { useEffect, useRef } from 'preact/hooks'
import { Section } from '../../../../../web/page/controls.tsx'
import { Marked } from '../../../../../web/page/marked.tsx'
import { isFound } from '../../../../metrics/found.ts'
import type { ContextsPart, MarkedText, QueryRow } from '../../report-data.ts'
import { ArmName, ArmSelect } from '../shared/controls.tsx'
import { NOT_KEPT } from '../shared/data.ts'
import { figureOf, shown, withThousands } from '../shared/figures.ts'
import { usePart } from '../shared/use-part.ts'
import { useReport } from '../shared/view.ts'

/** Gold passages, and the contexts of two arms side by side. */
export function ContextsSection({ query }: { query: QueryRow }) {
  const { data } = useReport()
  const loaded = usePart<ContextsPart>(query.contexts)
  const budget = withThousands(data.detailBudget)
  return (
    <Section
      id="contexts"
      title="What each arm packed"
      lead={`Contexts at ${budget} tokens. Marked: words of gold passages, in runs of at least five, as answer recall counts them.`}
      controls={
        <>
          <ArmSelect label="Left" which="versus" />
          <ArmSelect label="Right" which="arm" />
        </>
      }
    >
      {loaded.state === 'there' ? (
        <Sides part={loaded.value} query={query} />
      ) : (
        <p class="empty">{MESSAGES[loaded.state]}</p>
      )}
    </Section>
  )
}

const MESSAGES = {
  reading: 'The contexts are being read …',
  missing: 'The contexts of this query are not in this file.',
  failed: 'The contexts cannot be read: the file is damaged.',
}

function Sides({ part, query }: { part: ContextsPart; query: QueryRow }) {
  const { view } = useReport()
  const arms = [...new Set([view.versus, view.arm])]
  return (
    <>
      <h3>Gold passages</h3>
      <ol class="golds">
        {part.golds.map(({ text, found }) => (
          <li key={text}>
            <blockquote dir="auto">{text}</blockquote>
            <p class="found">
              {arms.map(arm => (
                <span key={arm}>
                  <ArmName arm={arm} short />: <Found share={found[arm] ?? null} />
                </span>
              ))}
            </p>
          </li>
        ))}
      </ol>
      <div class={arms.length > 1 ? 'two' : undefined}>
        {arms.map(arm => (
          <Side key={arm} arm={arm} query={query} context={part.contexts[arm] ?? null} />
        ))}
      </div>
    </>
  )
}

function Found({ share }: { share: number | null }) {
  if (share === null) return <>no context</>
  const found = isFound(share)
  return (
    <b class={`verdict ${found ? 'helps' : 'hurts'}`}>
      {found ? '✓ found' : '✗ not found'} ({Math.floor(share * 100)} % of its words)
    </b>
  )
}

/** Pixels of the context that are shown above the first marked words. */
const ABOVE_FIRST_MARK = 60

function Side({ arm, query, context }: { arm: number; query: QueryRow; context: MarkedText | null }) {
  const { data, view, measure } = useReport()
  const value = figureOf(query, arm, data.budgets.indexOf(data.detailBudget), view.measure)
  const name = data.arms[arm]?.name ?? ''
  const missing = data.detailArms.includes(arm) ? 'This arm has no context.' : NOT_KEPT
  const box = useRef<HTMLElement>(null)
  useEffect(() => {
    const first = box.current?.querySelector('mark')
    if (box.current && first && context) box.current.scrollTop = first.offsetTop - ABOVE_FIRST_MARK
  }, [context])
  return (
    <article class="context">
      <h3>
        <ArmName arm={arm} short /> <span class="lead">{`${measure.title} ${shown(value, measure.unit)}`}</span>
      </h3>
      {context === null || context.text === '' ? (
        <p class="empty">{context === null ? missing : 'The context is empty.'}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        <section class="context-text" ref={box} aria-label={`Context of ${name}`} tabIndex={0} dir="auto">
          <Marked text={context.text} ranges={rangesOf(context)} />
        </section>
      )}
    </article>
  )
}

function rangesOf({ marks }: MarkedText): { start: number; end: number }[] {
  return marks.flatMap((start, at) => (at % 2 === 0 ? [{ start, end: marks[at + 1] ?? start }] : []))
}
