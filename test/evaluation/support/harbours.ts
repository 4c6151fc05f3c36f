import type { GoldenSet } from '../../../src/evaluation/golden-set/golden-set.ts'
import type { SourceDocument } from '../../../src/ingest/source-document.ts'
import { goldenQuery, goldSpan } from './golden.ts'

const HARBOURS = ['Aldmouth', 'Brinsey', 'Corran']
const FACTS = ['depth of the basin', 'width of the gate', 'weight of the crane', 'price of a berth']

const factOf = (harbour: number, fact: number) =>
  `The ${FACTS[fact]} at ${HARBOURS[harbour]} is ${harbour * 100 + fact * 7 + 11} units by the last survey.`

/** Documents of several sections, each with one fact amid talk that is alike everywhere. */
const documents: SourceDocument[] = HARBOURS.map((harbour, at) => {
  const sections = FACTS.map((fact, index) => {
    const talk = `Ships of ${harbour} wait for the tide, and the harbour master writes to the owners about ${fact} every year. `
    return `## ${fact}\n\n${talk.repeat(2)}${factOf(at, index)} ${talk.repeat(2)}\n`
  })
  return { docId: `harbours/${harbour}`, title: harbour, text: `# ${harbour}\n\n${sections.join('\n')}` }
})

/** A small golden set of harbours, with one question for each fact. */
export const harbours: GoldenSet = {
  name: 'harbours',
  documents,
  queries: documents.flatMap(({ docId, text }, at) =>
    FACTS.map((fact, index) => {
      const start = text.indexOf(factOf(at, index))
      const gold = goldSpan(text, start, start + factOf(at, index).length, docId)
      return goldenQuery(`${docId}-${index}`, [gold], { query: `What is the ${fact} at ${HARBOURS[at]}?` })
    }),
  ),
  corpusHash: 'harbours',
  hash: 'harbours',
}
