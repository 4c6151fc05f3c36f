import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { ThemeSelect } from '../../../../web/page/controls.tsx'
import type { ReportData } from '../report-data.ts'
import { CurvePart } from './overview/curve.tsx'
import { ExtremesPart } from './overview/extremes.tsx'
import { FactsPart } from './overview/facts.tsx'
import { AblationPart, EffectsPart } from './overview/forest.tsx'
import { LatencyPart } from './overview/latency.tsx'
import { QueriesPart } from './overview/query-list.tsx'
import { Summary } from './overview/summary.tsx'
import { WaterfallPart } from './overview/waterfall.tsx'
import { QueryView } from './query/query-view.tsx'
import { addressOf } from './shared/figures.ts'
import { ReportContext, useView } from './shared/view.ts'

export function App({ data }: { data: ReportData }) {
  const report = useView(data)
  const { q } = report.view
  const query = q === null ? null : data.queries.find(row => addressOf(row, data) === q)
  useScrollMemory(q)
  useEffect(() => {
    document.title = query ? `${query.query} – ${data.facts.title}` : data.facts.title
  }, [query, data])
  return (
    <ReportContext.Provider value={report}>
      <header class="top">
        <p class="brand">
          <a href={report.linkTo({ q: null })}>{data.facts.title}</a>
        </p>
        {!query && <Contents data={data} />}
        <ThemeSelect />
      </header>
      <main id="main">
        {q !== null && !query && <p class="notice">There is no query {q} in this report.</p>}
        {query ? <QueryView query={query} /> : <Overview data={data} />}
      </main>
    </ReportContext.Provider>
  )
}

function partsOf({ arms, ablation }: ReportData) {
  const hasRivals = arms.length > 1
  return [
    { id: 'ablation', title: 'Rules', Part: AblationPart, isShown: ablation !== null },
    { id: 'curve', title: 'Curves', Part: CurvePart, isShown: true },
    { id: 'effects', title: 'Differences', Part: EffectsPart, isShown: hasRivals },
    { id: 'waterfall', title: 'Candidates', Part: WaterfallPart, isShown: true },
    { id: 'latency', title: 'Times', Part: LatencyPart, isShown: true },
    { id: 'extremes', title: 'Wins and losses', Part: ExtremesPart, isShown: hasRivals },
    { id: 'queries', title: 'Queries', Part: QueriesPart, isShown: true },
    { id: 'facts', title: 'Facts', Part: FactsPart, isShown: true },
  ].filter(({ isShown }) => isShown)
}

function Overview({ data }: { data: ReportData }) {
  return (
    <>
      <Summary />
      {partsOf(data).map(({ id, Part }) => (
        <Part key={id} />
      ))}
    </>
  )
}

/** Moves to a part. The address stays, because it says what the page shows. */
function Contents({ data }: { data: ReportData }) {
  const show = (id: string) => {
    const title = document.getElementById(`title-${id}`)
    title?.closest('section')?.scrollIntoView()
    title?.focus({ preventScroll: true })
  }
  return (
    <nav aria-label="Parts of the report" class="contents no-print">
      {partsOf(data).map(({ id, title }) => (
        <button type="button" key={id} onClick={() => show(id)}>
          {title}
        </button>
      ))}
    </nav>
  )
}

/** Comes back to the place in the overview that the reader left. */
function useScrollMemory(q: string | null): void {
  const left = useRef(0)
  useEffect(() => {
    if (q !== null) return
    const remember = () => {
      left.current = scrollY
    }
    addEventListener('scroll', remember, { passive: true })
    return () => removeEventListener('scroll', remember)
  }, [q])
  useLayoutEffect(() => {
    // The plots have their height one frame later.
    if (q === null && left.current > 0)
      requestAnimationFrame(() => requestAnimationFrame(() => scrollTo(0, left.current)))
  }, [q])
}
