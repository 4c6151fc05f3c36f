import { execFile } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pathOf, readGrafana } from '../../grafana/support/files.ts'
import { describeWith } from '../support/programs.ts'
import { promtool } from '../support/prometheus.ts'
import { openFolder, startStowage } from '../support/stowage.ts'

const run = (...line: string[]) => promisify(execFile)(promtool(), line)

describeWith('prometheus')('promtool', () => {
  let stowage: Awaited<ReturnType<typeof startStowage>>
  beforeAll(async () => {
    stowage = await startStowage()
  })
  afterAll(() => stowage?.stop())

  test('finds no fault in the configuration and its rules', async () => {
    // promtool looks for the key of the operator, too, which lies in a container.
    const folder = await openFolder({ 'operator-key': 'key' })
    const config = readGrafana('prometheus.yml').replace('/etc/prometheus/operator-key', 'operator-key')
    await folder.write('prometheus.yml', config)
    await symlink(pathOf('rules'), folder.at('rules'))
    const { stdout } = await run('check', 'config', '--lint=all', '--lint-fatal', folder.at('prometheus.yml'))
    await folder.remove()
    expect(stdout).toContain('2 rule files found')
    await run('check', 'rules', '--lint=all', '--lint-fatal', pathOf('rules/recording.yml'), pathOf('rules/alerts.yml'))
  })

  test('sees every alert fire, and stay silent', async () => {
    const { stdout } = await run('test', 'rules', pathOf('rules/tests/alerts.yml'))
    expect(stdout).toContain('SUCCESS')
  })

  test('finds no fault in a page of metrics', async () => {
    const { text } = await stowage.send('GET', '/v1/metrics')
    const checking = run('check', 'metrics')
    checking.child.stdin?.end(text)
    expect(await checking).toEqual({ stdout: '', stderr: '' })
  })
})
