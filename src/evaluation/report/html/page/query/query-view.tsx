import { useEffect, useRef } from 'preact/hooks'
import { Section } from '../../../../../web/page/controls.tsx'
import { DataTable } from '../../../../../web/page/data-table.tsx'
import type { QueryRow } from '../../report-data.ts'
import { ArmName, ArmSelect, BudgetSelect, MeasureSelect } from '../shared/controls.tsx'
import { addressOf, capitalised, figureOf, shortened, shown, withThousands } from '../shared/figures.ts'
import { useReport } from '../shared/view.ts'
import { WaterfallSection } from '../shared/waterfall.tsx'
import { CandidatesSection } from './candidates.tsx'
import { ContextsSection } from './contexts.tsx'

/** Everything about one query. */
export function QueryView({ query }: { query: QueryRow }) {
  const { data, view, linkTo } = useReport()
  const heading = useRef<HTMLHeadingElement>(null)
  const address = addressOf(query, data)
  // The reader starts anew with each query.
  useEffect(() => {
    scrollTo(0, 0)
    heading.current?.focus({ preventScroll: true })
  }, [address])
  const place = data.queries.indexOf(query)
  const neighbour = (step: number) => {
    const other = data.queries[place + step]
    return other ? linkTo({ q: addressOf(other, data) }) : null
  }
  return (
    <>
      <nav class="crumbs no-print" aria-label="Queries">
        <a href={linkTo({ q: null })}>← Overview</a>
        <span class="grow" />
        <Step href={neighbour(-1)}>‹ Previous query</Step>
        <Step href={neighbour(1)}>Next query ›</Step>
      </nav>
      <section class="card question" aria-labelledby="question">
        <h1 id="question" tabIndex={-1} ref={heading} dir="auto">
          {query.query}
        </h1>
        <dl class="chips">
          <Chip name="Query" value={address} />
          <Chip name="Intent" value={query.intent} />
          <Chip name="Grade" value={query.grade} />
          <Chip name="Gold passages" value={String(query.golds)} />
          {query.degraded.map(code => (
            <Chip key={code} name="Degraded" value={code} title={data.sentences.degradations[code]} />
          ))}
        </dl>
        {query.answer !== null && (
          <p class="answer">
            <b>Expected answer:</b> <span dir="auto">{query.answer}</span>
          </p>
        )}
      </section>
      <ContextsSection query={query} />
      <FiguresSection query={query} />
      <QueryWaterfall query={query} />
      <CandidatesSection query={query} key={`${address} ${view.arm}`} />
    </>
  )
}

function Step({ href, children }: { href: string | null; children: string }) {
  return href === null ? <span class="off">{children}</span> : <a href={href}>{children}</a>
}

function Chip({ name, value, title }: { name: string; value: string | null; title?: string | undefined }) {
  if (value === null) return null
  return (
    <div class="chip" title={title}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

function FiguresSection({ query }: { query: QueryRow }) {
  const { data, view, measure } = useReport()
  return (
    <Section
      id="figures"
      title={`${capitalised(measure.title)} of this query`}
      lead={`${capitalised(measure.meaning)}. By arm and budget, with the time of each run.`}
      controls={<MeasureSelect />}
    >
      <DataTable
        caption={`${measure.title} of this query by arm and budget`}
        file="query"
        keyOf={arm => String(arm)}
        rows={data.arms.map((_, arm) => arm)}
        columns={[
          { title: 'Arm', value: arm => data.arms[arm]?.name ?? '', cell: arm => <ArmName arm={arm} /> },
          ...data.budgets.map((budget, place) => ({
            title: withThousands(budget),
            numeric: true,
            value: (arm: number) => figureOf(query, arm, place, view.measure),
            cell: (arm: number) => (
              <>
                {shown(figureOf(query, arm, place, view.measure), measure.unit)}
                <small>{shown(query.ms[arm]?.[place], 'ms')}</small>
              </>
            ),
          })),
        ]}
      />
    </Section>
  )
}

function QueryWaterfall({ query }: { query: QueryRow }) {
  const { data, view } = useReport()
  const arm = shortened(data.arms[view.arm]?.name ?? '', 40)
  return (
    <WaterfallSection
      title="Where the candidates went"
      lead="What the searches found for this query, what each reason dropped, and what was packed."
      controls={
        <>
          <ArmSelect label="Arm" which="arm" />
          <BudgetSelect />
        </>
      }
      waterfall={query.waterfall[view.arm]?.[data.budgets.indexOf(view.budget)] ?? null}
      of={`this query under ${arm} at ${view.budget} tokens`}
      missing={`The arm ${arm} has no trace of this query.`}
    />
  )
}
