import { writeFileSync } from 'node:fs'
import { generatedSections, withSections } from './support/generated-sections.ts'
import { readPages } from './support/pages.ts'

/** `npm run docs`: brings the generated parts of the pages up to date. */
const sections = await generatedSections()
for (const { path, file, text } of readPages()) {
  const current = withSections(text, sections)
  if (current === text) continue
  writeFileSync(file, current)
  process.stdout.write(`${path}: written\n`)
}
