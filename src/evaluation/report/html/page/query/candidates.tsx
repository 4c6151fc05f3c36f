import { useEffect, useState } from 'preact/hooks'
import { Section, Select } from '../../../../../web/page/controls.tsx'
import { useOpenRows } from '../../../../../web/page/open-rows.tsx'
import type { CandidateColumns, CandidatesPart, PointsPart, QueryRow } from '../../report-data.ts'
import { ArmSelect } from '../shared/controls.tsx'
import { NOT_KEPT, readPoints } from '../shared/data.ts'
import { withThousands } from '../shared/figures.ts'
import { usePart } from '../shared/use-part.ts'
import { useReport } from '../shared/view.ts'
import { CandidateRow, COLUMNS, FIRST_NUMBER } from './candidate-row.tsx'
import { type Candidate, candidatesOf } from './read-candidates.ts'

export function CandidatesSection({ query }: { query: QueryRow }) {
  const { data, view } = useReport()
  const loaded = usePart<CandidatesPart>(query.candidates)
  const points = usePoints()
  const missing = data.detailArms.includes(view.arm) ? 'This arm has no trace of this query.' : NOT_KEPT
  const columns = loaded.state === 'there' ? loaded.value.arms[view.arm] : null
  return (
    <Section
      id="candidates"
      title="The trace of each candidate"
      lead={`Why each candidate is in the context or not, at ${withThousands(data.detailBudget)} tokens. Open a row for its ranks, scores and evidence.`}
      controls={<ArmSelect label="Arm" which="arm" />}
    >
      {loaded.state === 'there' && points && columns ? (
        <Candidates candidates={candidatesOf(loaded.value, columns, points)} columns={columns} />
      ) : (
        <p class="empty">{loaded.state === 'there' && points ? missing : MESSAGES[loaded.state]}</p>
      )}
    </Section>
  )
}

const MESSAGES = {
  reading: 'The candidates are being read …',
  there: 'The candidates are being read …',
  missing: 'The candidates of this query are not in this file.',
  failed: 'The candidates cannot be read: the file is damaged.',
}

function usePoints(): PointsPart | null {
  const [points, setPoints] = useState<PointsPart | null>(null)
  useEffect(() => {
    void readPoints().then(setPoints)
  }, [])
  return points
}

function Candidates({ candidates, columns }: { candidates: readonly Candidate[]; columns: CandidateColumns }) {
  const { data } = useReport()
  const [which, setWhich] = useState('')
  const { open, setOpen, toggle } = useOpenRows<number>()
  const reasons = [...new Set(candidates.flatMap(({ reason }) => reason ?? []))]
  const shown = candidates.filter(
    ({ reason, gold }) => which === '' || (which === 'gold' ? gold : which === (reason ?? 'packed')),
  )
  return (
    <>
      <Stages columns={columns} />
      <div class="controls no-print">
        <Select
          label="Show"
          value={which}
          options={[
            ['', 'all'],
            ['packed', 'packed'],
            ['gold', 'with words of a gold passage'],
            ...reasons.map(reason => [reason, `dropped: ${reason}`] as const),
          ]}
          onChange={setWhich}
        />
        <button type="button" onClick={() => setOpen(open.size > 0 ? new Set() : new Set(shown.map(({ row }) => row)))}>
          {open.size > 0 ? 'Close all' : 'Open all'}
        </button>
        <span class="count" role="status">
          {shown.length} of {candidates.length} candidates
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <section class="scroll" aria-label="Candidates" tabIndex={0}>
        <table class="candidates">
          <caption class="hidden">Candidates of this query, packed ones first</caption>
          <thead>
            <tr>
              {COLUMNS.map((title, at) => (
                <th key={title} scope="col" class={at < FIRST_NUMBER ? undefined : 'number'}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(candidate => (
              <CandidateRow
                key={candidate.row}
                candidate={candidate}
                isOpen={open.has(candidate.row)}
                sentence={data.sentences.dropReasons[candidate.reason ?? ''] ?? null}
                onToggle={() => toggle(candidate.row)}
              />
            ))}
          </tbody>
        </table>
      </section>
    </>
  )
}

function Stages({ columns }: { columns: CandidateColumns }) {
  const { data } = useReport()
  return (
    <>
      <p class="legend">
        {columns.intent !== null && (
          <span>
            Intent: <b>{columns.intent}</b>
          </span>
        )}
        {columns.degraded.map(([code, detail]) => (
          <span key={code} class="verdict hurts" title={data.sentences.degradations[code]}>
            {code}: {detail}
          </span>
        ))}
      </p>
      <ol class="stages" aria-label="Stages with the candidates after them">
        {columns.stages.map(([name, ms, before, after, changed]) => (
          <li key={name} class={changed ? undefined : 'idle'} title={data.sentences.stages[name]}>
            <b>{name}</b>
            <span>
              {before} → {after}
            </span>
            <small>
              {ms.toFixed(2)} ms{changed ? '' : ', no change'}
            </small>
          </li>
        ))}
      </ol>
    </>
  )
}
