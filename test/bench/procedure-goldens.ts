import { countOf } from '../../src/core/collections.ts'
import type { SourceDocument } from '../../src/ingest/source-document.ts'
import { draw, readDocuments, titleOf, writeMadeSet } from './made-set.ts'

/*
 * Writes a golden set whose questions ask for a procedure: `npx tsx test/bench/procedure-goldens.ts TARGET NAME FOLDER`. The documents are the files of FOLDER, such as a user's guide.
 * Each step of a numbered list is a gold passage, so answer recall is the share of its steps that are in the context.
 */
const [target, name, folder] = process.argv.slice(2)
if (target === undefined || name === undefined || folder === undefined) {
  console.error('usage: npx tsx test/bench/procedure-goldens.ts TARGET NAME FOLDER')
  process.exit(2)
}

const FEWEST_STEPS = 3
const LONGEST_PROCEDURE = 2400
const FEWEST_WORDS = 2

const HEADING = /^#{1,6} /
const STEP = /^(\d{1,2})[.)] +\S/
const FENCE = /^\s*(?:```|~~~)/

interface Step {
  start: number
  end: number
}

interface Procedure {
  document: SourceDocument
  title: string
  steps: Step[]
}

function* proceduresOf(document: SourceDocument): Generator<Procedure> {
  let title = document.title
  let steps: Step[] = []
  let isInCode = false
  for (const { 0: line, index } of document.text.matchAll(/[^\n]+/g)) {
    if (FENCE.test(line)) isInCode = !isInCode
    if (isInCode) continue
    const number = Number(STEP.exec(line)?.[1] ?? Number.NaN)
    const isHeading = HEADING.test(line)
    if (isHeading || number === 1) {
      yield { document, title, steps }
      steps = []
    }
    if (isHeading) title = titleOf(line)
    if (number === steps.length + 1) steps.push({ start: index, end: index + line.length })
  }
  yield { document, title, steps }
}

function isAsked({ title, steps }: Procedure): boolean {
  const length = (steps.at(-1)?.end ?? 0) - (steps[0]?.start ?? 0)
  return steps.length >= FEWEST_STEPS && length <= LONGEST_PROCEDURE && title.split(/\s+/).length >= FEWEST_WORDS
}

/** Questions of four forms. */
function questionOf(at: number, title: string): string {
  const forms = [`How does this work: ${title}?`, title, `What are the steps for ${title}?`, `how to: ${title}`]
  return forms[at % forms.length] ?? ''
}

const documents = await readDocuments(folder)
const procedures = documents.flatMap(document => [...proceduresOf(document)]).filter(isAsked)
const uses = countOf(procedures.map(({ title }) => title))
const unique = procedures.filter(({ title }) => uses.get(title) === 1)

const queries = draw(unique, ({ document }) => document.docId).map(({ document, title, steps }, at) => ({
  id: `procedure-${at}`,
  query: questionOf(at, title),
  gold: steps.map(step => ({ doc_id: document.docId, ...step })),
}))
const set = await writeMadeSet(target, name, { documents, queries })
console.log(
  `${set}: ${queries.length} questions about ${procedures.length} procedures of ${documents.length} documents`,
)
