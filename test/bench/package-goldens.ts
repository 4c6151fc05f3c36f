import { writePackageSets } from '../goldens/packages/write-sets.ts'

/** `npx tsx test/bench/package-goldens.ts TARGET` writes the golden sets `source-code` and `reference` about files of installed packages. */
const [target] = process.argv.slice(2)
if (target === undefined) {
  console.error('usage: npx tsx test/bench/package-goldens.ts TARGET')
  process.exit(2)
}
for (const folder of await writePackageSets(target)) console.log(folder)
