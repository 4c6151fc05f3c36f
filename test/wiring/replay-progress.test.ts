import { describe, expect, it } from 'vitest'
import type { Effort } from '../../src/core/types.ts'
import { replayWorld } from '../../src/wiring/replay.ts'
import { NO_MODELS } from '../support/no-models.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const documents = [1, 200, 1].map((times, at) => ({
  docId: `d${at}`,
  title: 'Lamps',
  text: 'The keeper lights the lamps at dusk. '.repeat(times),
}))
const size = documents.reduce((sum, { text }) => sum + text.length, 0)
const world = replayWorld(NO_MODELS, 'gpt-4o', {
  openLive: () => Promise.reject(new Error('not asked')),
  contexts: () => {
    throw new Error('not asked')
  },
  contextualTwins: new Map(),
})

/** What an ingest tells, and the effort of the last time. */
async function toldBy(folder: string): Promise<{ documents: string[]; last: Effort | undefined }> {
  const told: { counts: string; effort: Effort }[] = []
  const opened = await world.openFolder(folder)
  try {
    await opened.ingest(documents, {
      ...{ collection: 'lamps', chunkTokens: 60, chunking: 'sections', contexts: null },
      onProgress: (done, total, effort) => told.push({ counts: `${done}/${total}`, effort }),
    })
  } finally {
    await opened.close()
  }
  return { documents: told.map(({ counts }) => counts), last: told.at(-1)?.effort }
}

describe('the progress of the ingest of a replay', () => {
  it('counts documents, and its effort is the size of those that changed', async () => {
    const folder = temporaryFolder('replay-progress')
    const first = await toldBy(folder)
    expect(first.documents.at(-1)).toBe('3/3')
    expect(first.last?.total).toBe(size)
    expect(first.last?.done).toBeCloseTo(size, 6)
    expect((await toldBy(folder)).last).toEqual({ done: 0, total: 0 })
  })
})
