import { useId } from 'preact/hooks'
import { Fact } from '../../../../../web/page/fact.tsx'
import { RowOpener } from '../../../../../web/page/open-rows.tsx'
import { Sentence } from '../../../../../web/page/sentence.tsx'
import { SignalLists, score } from '../../../../../web/page/signal-lists.tsx'
import type { Candidate } from './read-candidates.ts'

interface CandidateRowProps {
  candidate: Candidate
  isOpen: boolean
  /** What the drop reason means; null when packed. */
  sentence: string | null
  onToggle: () => void
}

export const COLUMNS = ['Candidate', 'Decision', 'Tokens', 'Fused', 'Rerank', 'Bonus', 'Final']
export const FIRST_NUMBER = COLUMNS.indexOf('Tokens')

export function CandidateRow({ candidate, isOpen, sentence, onToggle }: CandidateRowProps) {
  const id = useId()
  const { name, snippet, gold, fetchedAs, reason, position, tokens, evidence } = candidate
  return (
    <>
      <tr class={reason === null ? 'packed' : 'dropped'}>
        <th scope="row">
          <RowOpener name={name} isOpen={isOpen} controls={id} onToggle={onToggle} />
          {gold && <span class="tag gold">gold</span>}
          {fetchedAs !== null && <span class="tag">{fetchedAs}</span>}
          {snippet !== null && snippet !== '' && (
            <p class="snippet" dir="auto">
              {snippet}
            </p>
          )}
        </th>
        <td>
          {reason === null ? (
            <span class="verdict helps">▲ packed as {position}</span>
          ) : (
            <span class="verdict dropped-reason" title={sentence ?? undefined}>
              {reason}
            </span>
          )}
          {evidence !== null && <small>{evidence}</small>}
        </td>
        <td class="number">{tokens ?? '–'}</td>
        <td class="number">{score(candidate.fused)}</td>
        <td class="number">{score(candidate.rerank)}</td>
        <td class="number">{score(candidate.bonus)}</td>
        <td class="number">{score(candidate.final)}</td>
      </tr>
      <tr id={id} hidden={!isOpen} class="detail">
        <td colSpan={COLUMNS.length}>{isOpen && <Detail candidate={candidate} sentence={sentence} />}</td>
      </tr>
    </>
  )
}

function Detail({ candidate, sentence }: { candidate: Candidate; sentence: string | null }) {
  const { id, docId, sectionPath, lists, features, bonus, reason, evidence, position, fetchedAs } = candidate
  return (
    <div class="two detail-box">
      <dl class="facts">
        <Fact name="Decision">
          {reason === null ? (
            `packed, block ${position} of the context`
          ) : (
            <>
              dropped: {reason}. <Sentence text={sentence ?? ''} />
            </>
          )}
        </Fact>
        {evidence !== null && <Fact name="Evidence">{evidence}</Fact>}
        <Fact name="Document">{docId}</Fact>
        <Fact name="Section">{sectionPath === '' ? '–' : sectionPath}</Fact>
        <Fact name="Point">{id}</Fact>
        <Fact name="Origin">{fetchedAs === null ? 'found by the searches' : `fetched as a ${fetchedAs}`}</Fact>
        <Fact name="Answerability">
          {bonus === 0 ? 'no bonus' : `bonus ${score(bonus)}`}
          {features !== null && ` (${features})`}
        </Fact>
      </dl>
      <SignalLists lists={lists} />
    </div>
  )
}
