import { ArmSelect, BudgetSelect, SetSelect } from '../shared/controls.tsx'
import { shortened } from '../shared/figures.ts'
import { useReport } from '../shared/view.ts'
import { meanWaterfall, WaterfallSection } from '../shared/waterfall.tsx'

/** The mean over all queries; each query has its own on its page. */
export function WaterfallPart() {
  const { data, view } = useReport()
  const place = data.budgets.indexOf(view.budget)
  const queries = data.queries.filter(({ set }) => view.set === null || set === view.set)
  const mean = meanWaterfall(queries.flatMap(({ waterfall }) => waterfall[view.arm]?.[place] ?? []))
  const arm = shortened(data.arms[view.arm]?.name ?? '', 40)
  return (
    <WaterfallSection
      title="Where candidates go"
      lead="The mean over the queries: what the searches find, what each reason drops, and what is packed. The page of a query shows its own."
      controls={
        <>
          <ArmSelect label="Arm" which="arm" />
          <BudgetSelect />
          <SetSelect />
        </>
      }
      waterfall={mean}
      of={`the arm ${arm} at ${view.budget} tokens, mean over ${queries.length} queries`}
      missing={`The arm ${arm} has no traces.`}
    />
  )
}
