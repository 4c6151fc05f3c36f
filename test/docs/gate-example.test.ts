import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { temporaryFolder } from '../support/temporary-folder.ts'

interface Step {
  name?: string
  uses?: string
  run?: string
}
const workflow = parse(readFileSync('docs/examples/replay-gate.yml', 'utf8'))
const steps: Step[] = workflow.jobs.gate.steps

describe('the example of GitHub Actions', () => {
  it('runs the command of the gate page, with rights to comment only', () => {
    const gate = steps.find(({ name }) => name === 'Gate')?.run ?? ''
    expect(readFileSync('docs/gate.md', 'utf8')).toContain(gate)
    expect(workflow.permissions).toEqual({ contents: 'read', 'pull-requests': 'write' })
    expect(steps.flatMap(({ uses }) => uses ?? []).every(uses => /^actions\/[a-z-]+@v\d+$/u.test(uses))).toBe(true)
  })

  it('has steps that a shell understands, and that show the summary', () => {
    const folder = temporaryFolder('gate-example')
    for (const { run } of steps) if (run) execFileSync('bash', ['-n', '-c', run])
    writeFileSync(join(folder, 'gate.md'), '## verdict\n')
    const show = steps.find(({ name }) => name === 'Show the summary')?.run ?? ''
    const summary = join(folder, 'summary.md')
    execFileSync('bash', ['-e', '-c', show], { cwd: folder, env: { ...process.env, GITHUB_STEP_SUMMARY: summary } })
    expect(readFileSync(summary, 'utf8')).toBe('## verdict\n')
  })
})
