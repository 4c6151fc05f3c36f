import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readHtml } from '../../src/ingest/documents/html/read-html.ts'
import { readDocument } from '../../src/ingest/read-file.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const WRITTEN = 'Hafen\u00ADmeister, thread_\u200Bpool_\u200Bmax, con\u2060fig'
const SEEN = 'Hafenmeister, thread_pool_max, config'
/** Persian, a family of three, and Thai. */
const NEEDED =
  '\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645 👨\u200D👩\u200D👦 \u0E40\u0E23\u0E37\u0E2D\u200B\u0E41\u0E25\u0E30 5\u00A0km'

it('reads words without the signs in them that nobody sees, and keeps those that change the text', async () => {
  const page = `<title>Hafen&shy;meister</title><h1>Hafen</h1><p>${WRITTEN} ${NEEDED}</p>`
  expect(readHtml(Buffer.from(page))).toMatchObject({ title: 'Hafenmeister', text: `# Hafen\n\n${SEEN} ${NEEDED}\n` })
  const folder = temporaryFolder('invisible')
  for (const name of ['a.md', 'a.txt']) {
    await writeFile(join(folder, name), `${WRITTEN} ${NEEDED}`)
    expect(await readDocument(join(folder, name), 'a')).toMatchObject({ text: `${SEEN} ${NEEDED}` })
  }
})
