import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { run } from '../support/debian.ts'
import { describeWith, folderOf } from '../support/programs.ts'

const FOLDER = fileURLToPath(new URL('../../../packaging/systemd/', import.meta.url))

describeWith('systemd')('the systemd unit', () => {
  /** The unit with programs, files and a user that this machine has. systemd looks for them. */
  async function withUnit(check: (path: string) => Promise<void>, change = (unit: string) => unit): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'stowage-unit-'))
    try {
      const unit = await readFile(`${FOLDER}stowage.service`, 'utf8')
      const here = unit
        .replace('/usr/bin/node', process.execPath)
        .replace('/etc/stowage/stowage.env', `${FOLDER}stowage.env.example`)
        .replace(/^(User|Group)=stowage$/gmu, `$1=${userInfo().username}`)
      await writeFile(join(folder, 'stowage.service'), change(here))
      await check(join(folder, 'stowage.service'))
    } finally {
      await rm(folder, { recursive: true })
    }
  }
  const analyze = (...line: string[]) => run(join(folderOf('systemd'), 'systemd-analyze'), line)

  it('is understood by systemd, every line of it', async () => {
    await withUnit(async path => expect(await analyze('verify', path)).toEqual({ stdout: '', stderr: '' }))
    const misspelt = (unit: string) => unit.replace('NoNewPrivileges=', 'NoNewPrivilege=')
    await withUnit(async path => expect((await analyze('verify', path)).stderr).toContain('NoNewPrivilege'), misspelt)
  })

  it('leaves the service little that it could do to the machine', async () => {
    // 0 to 10; a service without any limit has 9.6.
    await withUnit(async path => {
      await analyze('security', '--offline=true', '--threshold=25', path)
    })
  })
})
