import { counted } from '../../../text/printable.ts'
import { Marked } from '../../../web/page/marked.tsx'
import { count, percent } from '../model/figures.ts'
import type { Marks } from '../model/marks.ts'
import type { Block, Run } from '../model/run.ts'

interface SideProps {
  run: Run
  marks: Marks
  /** Keys of the chunks whose text is in the other context; null without another one. */
  others: ReadonlySet<string> | null
  /** How much of the expected answer is here; null without one. */
  found: string | null
}

/** One context: its budget as a bar, and its blocks. */
export function Side({ run, marks, others, found }: SideProps) {
  const { title, trace, blocks } = run
  return (
    <article class="context" aria-label={`Context of ${title}`}>
      <h3>{title}</h3>
      <BudgetBar run={run} knowsRepeats={others !== null} />
      {found !== null && <p class="found">{found}</p>}
      {blocks.length === 0 ? (
        <p class="empty">{trace.counts.retrieved === 0 ? 'The searches found nothing.' : 'Nothing was packed.'}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        <section class="context-text" aria-label={`Blocks of ${title}`} tabIndex={0}>
          <ol class="blocks">
            {blocks.map(block => (
              <BlockItem
                key={block.place}
                block={block}
                marks={marks}
                isOnlyHere={others !== null && !others.has(block.key)}
              />
            ))}
          </ol>
        </section>
      )}
    </article>
  )
}

function BlockItem({ block, marks, isOnlyHere }: { block: Block; marks: Marks; isOnlyHere: boolean }) {
  const { place, name, docId, tokens, text, repeated } = block
  return (
    <li class={repeated ? 'repeats' : undefined}>
      <p class="source">
        <b dir="auto">
          [{place}] {name}
        </b>
        {repeated && <span class="tag bad-tag">✗ repeated: stands above already</span>}
        {isOnlyHere && !repeated && <span class="tag">only here</span>}
        <small dir="auto">
          {docId} · {counted(tokens, 'token')}
        </small>
      </p>
      {text === null ? (
        <p class="empty">Your key does not read the text of this point, or it is gone.</p>
      ) : (
        <div class="text" dir="auto">
          <Marked text={text} ranges={marks.rangesIn(text)} />
        </div>
      )}
    </li>
  )
}

/** A segment for each block, then what wrappers and citations take, then free space. */
function BudgetBar({ run, knowsRepeats }: { run: Run; knowsRepeats: boolean }) {
  const { tokens: budget, used } = run.trace.budget
  const { blocks } = run
  const inBlocks = blocks.reduce((sum, { tokens }) => sum + tokens, 0)
  const repeated = blocks.reduce((sum, block) => sum + (block.repeated ? block.tokens : 0), 0)
  const rest = Math.max(0, used - inBlocks)
  const width = (tokens: number) => ({ width: `${(100 * tokens) / Math.max(1, budget, inBlocks)}%` })
  const facts = [
    `${count(used)} of ${count(budget)} tokens (${percent(budget === 0 ? 0 : used / budget)})`,
    counted(blocks.length, 'block'),
    `${count(Math.max(0, budget - used))} free`,
  ]
  return (
    <>
      <p class="figures">
        {facts.join(' · ')}
        {knowsRepeats && (
          <>
            {' · '}
            <span class={repeated > 0 ? 'bad' : undefined}>
              {repeated > 0 ? `${count(repeated)} tokens repeated` : 'nothing repeated'}
            </span>
          </>
        )}
      </p>
      <div class="bar" aria-hidden="true">
        {blocks.map(({ place, name, tokens, repeated: again }) => (
          <span
            key={place}
            class={again ? 'again' : undefined}
            style={width(tokens)}
            title={`[${place}] ${name}: ${count(tokens)} tokens${again ? ', repeated' : ''}`}
          />
        ))}
        {rest > 0 && <span class="rest" style={width(rest)} title={`Source lines: ${count(rest)} tokens`} />}
      </div>
    </>
  )
}
