import { ArmName, VerdictText } from '../shared/controls.tsx'
import { differenceUnit, shown, shownDifference, withThousands } from '../shared/figures.ts'
import { useReport } from '../shared/view.ts'

/** The answer before the details: how each arm does, and whether it differs from the reference. */
export function Summary() {
  const { data, view } = useReport()
  const main = data.measures.findIndex(({ name }) => name === 'recall')
  const place = main < 0 ? view.measure : main
  const measure = data.measures[place]
  if (!measure) return null
  const set = data.sets.length === 1 ? 0 : null
  const budget = data.budgets.indexOf(data.detailBudget)
  const queries = data.queries.length
  const { warnings, embedder, reranker } = data.facts
  return (
    <section class="summary" aria-labelledby="title">
      <h1 id="title">{data.sets.map(({ name }) => name).join(', ')}</h1>
      <p class="lead">
        {count(queries, 'query', 'queries')} · {count(data.arms.length, 'arm')} · {count(data.budgets.length, 'budget')}{' '}
        · embedder {embedder ?? 'none'} · reranker {reranker ?? 'none'}
      </p>
      <ul class="tiles">
        {data.arms.map(({ name }, arm) => {
          if (view.hidden.includes(arm)) return null
          const point = data.curves.find(curve => curve.measure === place && curve.arm === arm && curve.set === set)
            ?.points[budget]
          const effect = data.effects.find(
            other =>
              other.measure === place && other.arm === arm && other.set === set && other.budget === data.detailBudget,
          )
          return (
            <li class="tile" key={name}>
              <ArmName arm={arm} short />
              <b class="figure">{shown(point?.mean, measure.unit)}</b>
              {effect ? (
                <VerdictText verdict={effect.verdict}>
                  {shownDifference(effect.mean, measure.unit)} [{shownDifference(effect.low, measure.unit)},{' '}
                  {shownDifference(effect.high, measure.unit)}], {effect.verdict}
                </VerdictText>
              ) : (
                data.arms.length > 1 && (
                  <span class="verdict unproven">{arm === data.reference ? 'the reference' : 'no comparison'}</span>
                )
              )}
            </li>
          )
        })}
      </ul>
      <p class="lead">
        {measure.title} at {withThousands(data.detailBudget)} tokens; differences in {differenceUnit(measure.unit)} with
        95 % intervals over queries.
        {view.hidden.length > 0 &&
          ` ${count(view.hidden.length, 'arm is', 'arms are')} not drawn: tick them in the table of the curve.`}
      </p>
      {warnings.length + data.leftOut.length > 0 && (
        <div class="notice" role="note">
          <b>{warnings.length > 0 ? 'Warnings' : 'What is not in this file'}</b>
          <ul>
            {[...warnings, ...data.leftOut].map(warning => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </div>
      )}
    </section>
  )
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${withThousands(number)} ${number === 1 ? one : many}`
}
