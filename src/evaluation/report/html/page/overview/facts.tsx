import { Section } from '../../../../../web/page/controls.tsx'
import { type Column, DataTable, save } from '../../../../../web/page/data-table.tsx'
import { Fact } from '../../../../../web/page/fact.tsx'
import type { ReportData } from '../../report-data.ts'
import { ArmName } from '../shared/controls.tsx'
import { shortened, withThousands } from '../shared/figures.ts'
import { useReport } from '../shared/view.ts'

/** What the figures were measured with. */
export function FactsPart() {
  const { data } = useReport()
  const { facts } = data
  return (
    <Section id="facts" title="How it was measured" lead="Everything that is needed to make these figures again.">
      <div class="two">
        <dl class="facts">
          <Fact name="Command">{facts.command ? <code>{facts.command}</code> : 'not recorded'}</Fact>
          <Fact name="stowage">{facts.stowage}</Fact>
          <Fact name="Made">{facts.createdAt}</Fact>
          <Fact name="Embedder">{facts.embedder ?? 'none'}</Fact>
          <Fact name="Reranker">{facts.reranker ?? 'none'}</Fact>
          <Fact name="Chunks">{facts.chunkTokens} tokens</Fact>
          <Fact name="Budgets">{data.budgets.map(withThousands).join(', ')} tokens</Fact>
          <Fact name="Intervals">
            95 %, bootstrap over queries, {withThousands(facts.resamples)} resamples, seed {facts.seed}
          </Fact>
          <Fact name="Contexts">kept at {withThousands(data.detailBudget)} tokens</Fact>
        </dl>
        <div>
          <h3>Sets</h3>
          <DataTable
            caption="Golden sets"
            keyOf={({ name }) => name}
            rows={data.sets}
            columns={[
              { title: 'Set', cell: ({ name }) => name },
              { title: 'Queries', numeric: true, cell: ({ queries }) => withThousands(queries) },
              { title: 'Documents', numeric: true, cell: ({ documents }) => withThousands(documents) },
              { title: 'Chunks', numeric: true, cell: ({ chunks }) => withThousands(chunks) },
              {
                title: 'SHA-256',
                value: ({ hash }) => hash,
                cell: ({ hash }) => <code title={hash}>{hash.slice(0, 12)}</code>,
              },
            ]}
          />
          <p class="no-print">
            <button type="button" onClick={() => save('report.json', 'application/json', JSON.stringify(data))}>
              Save all figures as JSON
            </button>
          </p>
        </div>
      </div>
      <h3>Plans of the arms</h3>
      <PlanTable data={data} />
      <details>
        <summary>Licences of the software in this page</summary>
        {facts.licences.map(({ name, text }) => (
          <section key={name}>
            <h4>{name}</h4>
            <pre class="licence">{text}</pre>
          </section>
        ))}
      </details>
    </Section>
  )
}

/** Values in which the arms differ, with those that differ from the reference marked. */
function PlanTable({ data }: { data: ReportData }) {
  const reference = data.arms[data.reference]?.plan ?? {}
  const paths = [...new Set(data.arms.flatMap(({ plan }) => Object.keys(plan)))]
  const differing = paths.filter(path => new Set(data.arms.map(({ plan }) => plan[path])).size > 1)
  const columns: Column<string>[] = [
    { title: 'Value of the plan', cell: path => <code>{path}</code>, value: path => path, className: 'nowrap' },
    ...data.arms.map(
      ({ name, plan }, arm): Column<string> => ({
        title: shortened(name),
        value: path => plan[path] ?? null,
        cell: path => {
          const value = plan[path] ?? '–'
          return value === (reference[path] ?? '–') ? value : <mark class="changed">{value}</mark>
        },
        className: arm === data.reference ? 'reference' : undefined,
      }),
    ),
  ]
  return (
    <>
      <p class="legend">
        {data.arms.map(({ name, source }, arm) => (
          <span key={name}>
            <ArmName arm={arm} short /> <code title={source}>{shortened(source, 40)}</code>
          </span>
        ))}
      </p>
      <DataTable
        caption={`Values in which the plans differ; marked: different from ${shortened(data.arms[data.reference]?.name ?? '', 40)}`}
        file="plans"
        empty="All arms have the same plan."
        keyOf={path => path}
        rows={differing}
        columns={columns}
      />
    </>
  )
}
