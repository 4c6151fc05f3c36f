import { Section } from '../../../../../web/page/controls.tsx'
import { ArmSelect, BudgetSelect, SetSelect } from '../shared/controls.tsx'
import { shortened } from '../shared/figures.ts'
import { useReport } from '../shared/view.ts'
import { meanWaterfall, TokenGauge, WaterfallFigure } from '../shared/waterfall.tsx'

/** The mean over all queries; each query has its own on its page. */
export function WaterfallPart() {
  const { data, view } = useReport()
  const place = data.budgets.indexOf(view.budget)
  const queries = data.queries.filter(({ set }) => view.set === null || set === view.set)
  const mean = meanWaterfall(queries.flatMap(({ waterfall }) => waterfall[view.arm]?.[place] ?? []))
  const arm = shortened(data.arms[view.arm]?.name ?? '', 40)
  return (
    <Section
      id="waterfall"
      title="Where candidates go"
      lead="The mean over the queries: what the searches find, what each reason drops, and what is packed. The page of a query shows its own."
      controls={
        <>
          <ArmSelect label="Arm" which="arm" />
          <BudgetSelect />
          <SetSelect />
        </>
      }
    >
      {mean ? (
        <>
          <TokenGauge used={mean.used} budget={view.budget} />
          <WaterfallFigure
            waterfall={mean}
            of={`the arm ${arm} at ${view.budget} tokens, mean over ${queries.length} queries`}
          />
        </>
      ) : (
        <p class="empty">The arm {arm} has no traces.</p>
      )}
    </Section>
  )
}
