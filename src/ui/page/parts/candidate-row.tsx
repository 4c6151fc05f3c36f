import { useId } from 'preact/hooks'
import { DROP_REASONS } from '../../../core/vocabulary.ts'
import { Fact } from '../../../web/page/fact.tsx'
import { Marked } from '../../../web/page/marked.tsx'
import { RowOpener } from '../../../web/page/open-rows.tsx'
import { Sentence } from '../../../web/page/sentence.tsx'
import { SignalLists, score } from '../../../web/page/signal-lists.tsx'
import type { Marks } from '../model/marks.ts'
import type { Row } from '../model/run.ts'

interface CandidateRowProps {
  row: Row
  marks: Marks
  /** Number of columns of the table. */
  columns: number
  isOpen: boolean
  onToggle: () => void
}

const SNIPPET = 280

export function CandidateRow({ row, marks, columns, isOpen, onToggle }: CandidateRowProps) {
  const id = useId()
  const { candidate, rank, name, text, evidence } = row
  const { reason, position, origin, lists, tokens } = candidate
  const found = lists.flatMap(one => (one.rank === null ? [] : [`${one.source} ${one.rank}`]))
  return (
    <>
      <tr class={candidate.decision}>
        <td class="number">{rank}</td>
        <th scope="row">
          <RowOpener name={name} isOpen={isOpen} controls={id} onToggle={onToggle} />
          {origin !== 'retrieved' && <span class="tag">{origin}</span>}
          {text !== null && (
            <p class="snippet" dir="auto">
              {text.slice(0, SNIPPET)}
            </p>
          )}
        </th>
        <td class="decision">
          {reason === null ? (
            <span class="verdict helps">▲ packed as {position}</span>
          ) : (
            <code title={DROP_REASONS[reason]}>{reason}</code>
          )}
          {evidence !== '' && <small dir="auto">{evidence}</small>}
          {found.length > 0 && <small>{found.join(' · ')}</small>}
        </td>
        <td class="number">{score(candidate.fused)}</td>
        <td class="number">{score(candidate.rerank)}</td>
        <td class="number">{score(candidate.answerability.bonus)}</td>
        <td class="number">{score(candidate.final)}</td>
        <td class="number">{tokens ?? '–'}</td>
      </tr>
      <tr id={id} hidden={!isOpen} class="detail">
        <td colSpan={columns}>{isOpen && <Detail row={row} marks={marks} />}</td>
      </tr>
    </>
  )
}

function Detail({ row, marks }: { row: Row; marks: Marks }) {
  const { candidate, text, evidence } = row
  const { id, collection, doc_id, section_path, order_index, origin, reason, position, answerability, mention } =
    candidate
  const { bonus, features } = answerability
  return (
    <div class="detail-box">
      <div class="two">
        <dl class="facts">
          <Fact name="Decision">
            {reason === null ? (
              `packed, block ${position} of the context`
            ) : (
              <>
                dropped: <code>{reason}</code> <Sentence text={DROP_REASONS[reason]} />
              </>
            )}
          </Fact>
          {evidence !== '' && <Fact name="Evidence">{evidence}</Fact>}
          <Fact name="Document">
            {doc_id}
            {order_index !== null && `, place ${order_index}`}
          </Fact>
          <Fact name="Section">{section_path || '–'}</Fact>
          <Fact name="Point">
            {String(id)} in {collection}
          </Fact>
          <Fact name="Origin">{ORIGINS[origin]}</Fact>
          <Fact name="Answerability">
            {bonus === 0 ? 'no bonus' : `bonus ${score(bonus)}`}
            {features.length > 0 && ` (${features.join(', ')})`}
          </Fact>
          {mention && (
            <Fact name="Mention">
              point {String(mention.by)} names this document: +{score(mention.gain)}
            </Fact>
          )}
        </dl>
        <SignalLists lists={row.candidate.lists} />
      </div>
      {text === null ? (
        <p class="empty">Your key does not read the text of this point, or it is gone.</p>
      ) : (
        <blockquote dir="auto">
          <Marked text={text} ranges={marks.rangesIn(text)} />
        </blockquote>
      )}
    </div>
  )
}

const ORIGINS = {
  retrieved: 'found by the searches',
  neighbour: 'fetched beside a found passage',
  parent: 'packed in place of found parts of it',
}
