import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { checkGoldenSet } from '../../src/evaluation/golden-check/check.ts'
import { examineGoldenSet } from '../../src/evaluation/golden-set/golden-set.ts'
import { PACKAGE_SETS, writePackageSets } from './packages/write-sets.ts'

const INVENTED = fileURLToPath(new URL('invented/', import.meta.url))
const countTokens = (text: string) => text.length / 4

/** What `golden check` finds, but for golds of two questions: these sets are not divided into halves. */
async function findings(folder: string): Promise<string[]> {
  const examined = await examineGoldenSet(folder)
  expect(examined.set.queries.length).toBeGreaterThan(50)
  const found = checkGoldenSet(examined, { largestBudget: 4000, countTokens })
  return found.map(({ code }) => code).filter(code => code !== 'leaked_gold')
}

describe('the sets of invented documents', async () => {
  const folders = (await readdir(INVENTED, { withFileTypes: true })).filter(entry => entry.isDirectory())
  it.each(folders.map(({ name }) => name))('%s has nothing that `golden check` finds', async name => {
    expect(await findings(join(INVENTED, name))).toEqual([])
  })
})

describe('the sets about installed packages', () => {
  it('have their passages in the files of today', async () => {
    const target = await mkdtemp(join(tmpdir(), 'stowage-packages-'))
    try {
      const folders = await writePackageSets(target)
      expect(folders).toHaveLength(PACKAGE_SETS.length)
      for (const folder of folders) expect(await findings(folder)).toEqual([])
    } finally {
      await rm(target, { recursive: true, force: true })
    }
  })
})
