import { countOf } from '../../src/core/collections.ts'
import type { SourceDocument } from '../../src/ingest/source-document.ts'
import { draw, type Named, readDocuments, sectionOf, titleOf, writeMadeSet } from './made-set.ts'

/*
 * Writes a golden set whose questions ask for a setting: `npx tsx test/bench/setting-goldens.ts TARGET NAME FOLDER`. The documents are the files of FOLDER, such as pages that show
 * configuration in fenced code. The gold passage is the line that gives the setting a value.
 */
const [target, name, folder] = process.argv.slice(2)
if (target === undefined || name === undefined || folder === undefined) {
  console.error('usage: npx tsx test/bench/setting-goldens.ts TARGET NAME FOLDER')
  process.exit(2)
}

/** A name that stands in more places is asked for by nobody. */
const MOST_USES = 6
const SHORTEST_TITLE = 3
const SETTING = /^[ \t]*[-#]?[ \t]*\[?[ \t]*["']?([A-Za-z][\w.-]{2,40})["']?[ \t]*(?::|=)[ \t]+\S/
const FENCE = /^(?:```|~~~)/
const HEADING = /^#{1,6} /

function* settingsOf(document: SourceDocument): Generator<Named> {
  let section = ''
  let isInCode = false
  for (const { 0: line, index } of document.text.matchAll(/[^\n]+/g)) {
    if (FENCE.test(line.trim())) isInCode = !isInCode
    else if (!isInCode && HEADING.test(line)) section = titleOf(line)
    const key = isInCode ? SETTING.exec(line)?.[1] : undefined
    const start = index + line.length - line.trimStart().length
    if (key !== undefined) yield { document, section, key, start, end: index + line.length }
  }
}

/** Questions of four forms. */
function questionOf(at: number, { key, section }: Named): string {
  const forms = [
    `What is the default of ${key} in ${section}?`,
    `${section} ${key}`,
    `How do I set ${key.replaceAll('_', ' ')} for ${section}?`,
    `example of ${key} in ${section}`,
  ]
  return forms[at % forms.length] ?? ''
}

const documents = await readDocuments(folder)
const settings = documents.flatMap(document => [...settingsOf(document)])
const uses = countOf(settings.map(({ key }) => key))
const usesInPlace = countOf(settings.map(setting => `${sectionOf(setting)} ${setting.key}`))
const known = settings
  .filter(({ key, section }) => (uses.get(key) ?? 0) <= MOST_USES && section.length >= SHORTEST_TITLE)
  .filter(setting => usesInPlace.get(`${sectionOf(setting)} ${setting.key}`) === 1)

const queries = draw(known, sectionOf).map((setting, at) => {
  const { document, start, end } = setting
  return { id: `setting-${at}`, query: questionOf(at, setting), gold: [{ doc_id: document.docId, start, end }] }
})
const set = await writeMadeSet(target, name, { documents, queries })
console.log(`${set}: ${queries.length} questions about ${settings.length} settings of ${documents.length} documents`)
