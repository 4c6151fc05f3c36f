import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { FormerVectors } from '../../src/contextualize/state/former-vectors.ts'
import { PendingContexts } from '../../src/contextualize/state/pending-contexts.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { CHILD_PROCESS_MS } from '../support/timeouts.ts'

it(
  'journals on a full disk keep all lines that they took, and take lines that still fit',
  () => {
    const folder = temporaryFolder('journals')
    // The largest file of the process stands for the size of the disk.
    const script = `ulimit -f 64; exec "${process.execPath}" --import tsx "$0" "$1"`
    const program = join(import.meta.dirname, 'support/full-disk.ts')
    const { stdout } = spawnSync('bash', ['-c', script, program, folder], { encoding: 'utf8' })
    expect(JSON.parse(stdout)).toEqual(['long vectors', 'long context', 'checkpoint'])

    const former = new FormerVectors(join(folder, 'former.jsonl'))
    expect([1, 2, 3].map(id => former.find(id, 'h')?.get('v')?.length ?? null)).toEqual([23, null, 23])
    former.close()
    const pending = new PendingContexts(join(folder, 'contexts.jsonl'))
    expect(['a', 'b', 'c'].map(key => pending.find(key)?.text.length ?? null)).toEqual([10, null, 65_050])
    pending.close()
  },
  CHILD_PROCESS_MS,
)
