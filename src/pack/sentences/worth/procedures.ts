import { columnsOf } from '../../../text/columns.ts'
import type { MeasuredSentence } from '../measured.ts'

/** What the sentences of a procedure gain in logits, when the question asks how something is done (decision 139). */
export const STEP_GAIN = 3
/** Fewer numbered items are no procedure. */
const FEWEST_STEPS = 3
const NUMBERED_ITEM = /^\s*(\d{1,3})[.)]\s/

type Placed = Pick<MeasuredSentence, 'start' | 'end' | 'kind' | 'isHeading' | 'beginsParagraph'>

/** A numbered list, as far as it has been read. */
interface NumberedList {
  columns: number
  /** The number of its last item. */
  number: number
  items: number
  /** Places of its sentences. */
  places: number[]
}

/**
 * The procedures of a chunk: its numbered lists, each as the places of its sentences in reading order. A step goes on with its paragraph, with code, and with what stands deeper. A
 * paragraph between steps, such as a note, is no part of it. A chunk can begin within a list, so any number can be the first.
 */
export function proceduresOf(sentences: readonly Placed[], text: string): number[][] {
  const lists: NumberedList[] = []
  let list: NumberedList | undefined
  for (const [at, sentence] of sentences.entries()) {
    const own = text.slice(sentence.start, sentence.end)
    const columns = columnsOf(own)
    const number = sentence.isHeading ? undefined : NUMBERED_ITEM.exec(own)?.[1]
    if (sentence.isHeading) list = undefined
    else if (list && columns === list.columns && Number(number) === list.number + 1) {
      list.places.push(at)
      list.number++
      list.items++
    } else if (list?.places.at(-1) === at - 1 && (columns > list.columns || goesOn(sentence, number)))
      list.places.push(at)
    else if (number !== undefined) {
      list = { columns, number: Number(number), items: 1, places: [at] }
      lists.push(list)
    }
  }
  return lists.filter(({ items }) => items >= FEWEST_STEPS).map(({ places }) => places)
}

/** Whether a sentence that stands no deeper than its list goes on with the step before it. */
function goesOn({ kind, beginsParagraph }: Placed, number: string | undefined): boolean {
  return number === undefined && (!beginsParagraph || kind === 'code')
}

/** The probabilities, of which the sentences of each procedure have their mean: a step is of use with those before it. */
export function sharedInProcedures(probabilities: readonly number[], procedures: readonly number[][]): number[] {
  const shared = [...probabilities]
  for (const places of procedures) {
    const sum = places.reduce((total, place) => total + (probabilities[place] ?? 0), 0)
    for (const place of places) shared[place] = sum / places.length
  }
  return shared
}
