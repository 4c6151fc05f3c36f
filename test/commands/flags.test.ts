import { Command } from 'commander'
import { expect, it } from 'vitest'
import { readFlagsFile } from '../../src/adapters/flags/file.ts'
import { addFlagsCommand, type FlagsCommandDependencies } from '../../src/commands/flags.ts'
import { listFlags } from '../../src/flags/list.ts'
import { SWITCHES } from '../../src/flags/table.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { catalogueOf, type FakeFlag, flagSetOf } from '../flags/support/flag-set.ts'

const { measured } = NAMED_PLANS

async function runFlags(args: string[], flags: Record<string, FakeFlag> = {}, faults: string[] = []) {
  const written: string[] = []
  const program = new Command().exitOverride().configureOutput({ writeErr() {}, writeOut() {} })
  const catalogue = catalogueOf(flagSetOf(flags))
  addFlagsCommand(program, {
    out: { write: (text: string) => void written.push(text) } as unknown as FlagsCommandDependencies['out'],
    plan: () => measured,
    faultsOfPlan: async plan => (plan === 'bad' ? ['no plan is called bad'] : []),
    open: async () => ({
      tenants: ['acme', 'beta'],
      list: tenant =>
        listFlags(tenant, measured, { off: new Set(['stowage.mmr']), catalogue, newSessionId: () => 's' }),
      faults,
      close: async () => {},
    }),
  })
  const error = await program.parseAsync(['node', 'stowage', 'flags', ...args]).then(
    () => null,
    (thrown: Error) => thrown.message,
  )
  return { text: written.join(''), error }
}

it('lists every switch with its value for each tenant, and where it came from', async () => {
  const { text, error } = await runFlags(['--json'], { 'stowage.dedupe': { enabled: false } })
  const { flags, faults } = JSON.parse(text)
  expect([flags.length, faults, error]).toEqual([2 * SWITCHES.length, [], null])
  expect(flags).toContainEqual({
    flag: 'stowage.dedupe',
    kind: 'switch',
    tenant: 'beta',
    on: 0,
    source: 'unleash',
    variants: {},
  })
  expect(flags).toContainEqual({
    flag: 'stowage.mmr',
    kind: 'switch',
    tenant: 'acme',
    on: 0,
    source: 'kill_switch',
    variants: {},
  })
  expect(flags).toContainEqual({
    flag: 'stowage.improve',
    kind: 'switch',
    tenant: 'acme',
    on: 1,
    source: 'plan',
    variants: {},
  })
  const table = await runFlags(['--tenant', 'acme'])
  expect(table.text).toMatch(/stowage\.mmr\s+│ off\s+│ kill switch\s+│ acme/u)
  expect((await runFlags(['--tenant', 'nobody'])).error).toBe('no tenant is called nobody')
})

it('ends with the faults, and fails when there are any', async () => {
  const { text, error } = await runFlags([], {}, ['unknown flag stowage.dedup; did you mean stowage.dedupe?'])
  expect(text.endsWith('✗ unknown flag stowage.dedup; did you mean stowage.dedupe?\n')).toBe(true)
  expect(error).toBe('flags have 1 fault')
})

it('exports all switches as the plan has them, for Unleash and as a flags file', async () => {
  const { text } = await runFlags([
    'export',
    '--experiment',
    'blend',
    '--share',
    '10',
    '--plan',
    '{"RERANK_BLEND":0.5}',
  ])
  const { features, featureStrategies, featureEnvironments } = JSON.parse(text)
  expect(features.map(({ name }: { name: string }) => name)).toEqual([
    ...SWITCHES.map(({ key }) => key),
    'stowage.experiment.blend',
  ])
  for (const { key, isOn } of SWITCHES)
    expect(featureEnvironments).toContainEqual(expect.objectContaining({ featureName: key, enabled: isOn(measured) }))
  expect(featureStrategies.at(-1)).toMatchObject({
    featureName: 'stowage.experiment.blend',
    variants: [
      { name: 'control', weight: 900, weightType: 'variable', stickiness: 'sessionId' },
      { name: 'treatment', weight: 100, weightType: 'fix', payload: { type: 'json', value: '{"RERANK_BLEND":0.5}' } },
    ],
  })
  const file = await runFlags(['export', '--file', '--experiment', 'blend', '--plan', 'design'])
  const read = readFlagsFile(Buffer.from(file.text), 'flags.json')
  expect([read.faults, read.value?.features.size]).toEqual([null, SWITCHES.length + 1])
})

it.each([
  [['export', '--plan', 'design'], /--experiment/],
  [['export', '--experiment', 'a'], /--plan is needed/],
  [['export', '--experiment', 'a', '--plan', 'bad'], /no plan is called bad/],
  [['export', '--experiment', 'a b', '--plan', 'design'], /A name has/],
  [['export', '--experiment', 'a', '--share', '0', '--plan', 'design'], /0\.1 to 99\.9/],
])('refuses %j', async (args, message) => {
  expect((await runFlags(args)).error).toMatch(message)
})
