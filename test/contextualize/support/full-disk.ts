import { join } from 'node:path'
import type { ChunkContext } from '../../../src/contexts/context.ts'
import { NO_USAGE } from '../../../src/contexts/context.ts'
import { FormerVectors } from '../../../src/contextualize/state/former-vectors.ts'
import { PendingContexts } from '../../../src/contextualize/state/pending-contexts.ts'

/** Writes lines to the journals in a folder, in a process whose largest file has 64 KiB. Prints the steps that were refused. */
const [folder = ''] = process.argv.slice(2)
const refused: string[] = []
function attempt(name: string, step: () => void): void {
  try {
    step()
  } catch {
    refused.push(name)
  }
}

const former = new FormerVectors(join(folder, 'former.jsonl'))
const point = (id: number, numbers: number) => ({
  id,
  hash: 'h',
  vectors: new Map([['v', `[${'1,'.repeat(numbers)}1]`]]),
})
attempt('first vectors', () => former.add([point(1, 10)]))
attempt('long vectors', () => former.add([point(2, 50_000)]))
attempt('last vectors', () => former.add([point(3, 10)]))
former.close()

const asked = { model: 'm', endpoint: null }
const context = (length: number): ChunkContext => ({
  ...{ text: 'x'.repeat(length), quality: 1, model: 'm', tokens: 1, fallback: null, calls: 1, usage: NO_USAGE },
})
const pending = new PendingContexts(join(folder, 'contexts.jsonl'))
attempt('first context', () => pending.add('a', asked, context(10)))
attempt('long context', () => pending.add('b', asked, context(100_000)))
attempt('last context', () => pending.add('c', asked, context(65_050)))
// The line of what was spent is longer now.
attempt('checkpoint', () => pending.checkpoint([]))
pending.close()

process.stdout.write(JSON.stringify(refused))
