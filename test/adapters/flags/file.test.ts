import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type FlagsFile, openFlagsFile } from '../../../src/adapters/flags/file.ts'
import { openPlanFolder } from '../../../src/adapters/flags/plan-folder.ts'
import { createDecide } from '../../../src/flags/decide.ts'
import { changePlan } from '../../../src/pipeline/plan/changes.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import { catalogueOf } from '../../flags/support/flag-set.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

let folder = ''
beforeEach(() => {
  folder = temporaryFolder('stowage-flags')
})

async function openFile(name: string, content: string, changes: unknown[] = []) {
  const path = join(folder, name)
  await writeFile(path, content)
  const file = await openFlagsFile({
    path,
    appName: 'stowage',
    environment: 'test',
    onChange: change => changes.push(change),
  })
  if (!('faults' in file)) onTestFinished(() => file.close())
  return { file: file as FlagsFile, faults: 'faults' in file ? file.faults : null, path }
}

const EXPERIMENT = {
  name: 'stowage.experiment.blend',
  enabled: true,
  strategies: [],
  variants: [
    { name: 'control', weight: 900, stickiness: 'sessionId' },
    { name: 'half', weight: 100, stickiness: 'sessionId', payload: { type: 'json', value: '{"RERANK_BLEND":0.5}' } },
  ],
}

describe('a flags file', () => {
  it('is evaluated as Unleash would: constraints, segments and dependencies', async () => {
    const { file } = await openFile(
      'flags.yaml',
      `
features:
  - name: stowage.mmr
    enabled: true
    strategies:
      - name: default
        segments: [1]
  - name: stowage.novelty
    enabled: true
    dependencies: [{ feature: stowage.mmr }]
  - name: stowage.dedupe
    enabled: true
    strategies:
      - name: flexibleRollout
        parameters: { rollout: 100, stickiness: default, groupId: g }
        constraints: [{ contextName: environment, operator: IN, values: [test] }]
segments:
  - id: 1
    constraints: [{ contextName: tenant, operator: NOT_IN, values: [acme] }]
`,
    )
    const values = (tenant: string) =>
      ['stowage.mmr', 'stowage.novelty', 'stowage.dedupe'].map(
        key => file.current?.evaluate(key, { tenant, sessionId: 's' })?.enabled,
      )
    expect([values('acme'), values('beta')]).toEqual([
      [false, false, true],
      [true, true, true],
    ])
  })

  it.each([
    [
      'flags.json',
      '{"features":[{"name":"stowage.mmr"}]}',
      'stowage.mmr.enabled: Invalid input: expected boolean, received undefined',
    ],
    ['flags.json', '{"version":2}', 'must be a mapping with a list of features'],
    ['flags.json', '{', /^is not JSON/],
    ['flags.yaml', 'features: [{ name: a, enabled: true }, { name: a, enabled: true }]', 'a: is there twice'],
  ])('with a fault is refused with its place: %s %s', async (name, content, fault) => {
    const { faults } = await openFile(name, content)
    expect(faults).toEqual([typeof fault === 'string' ? fault : expect.stringMatching(fault)])
  })

  it('is read again; a broken version leaves the flags of before', async () => {
    const changes: { faults: readonly string[] | null }[] = []
    const { file, path } = await openFile('flags.json', '{"features":[{"name":"stowage.mmr","enabled":true}]}', changes)
    const isOn = () => file.current?.evaluate('stowage.mmr', { tenant: null, sessionId: 's' })?.enabled
    await writeFile(path, '{"features":[{"name":"stowage.mmr","enabled":false}]}')
    await file.reload()
    expect([isOn(), file.refusal, changes.map(({ faults }) => faults)]).toEqual([false, null, [null]])
    await writeFile(path, '{"features":')
    await file.reload()
    expect([isOn(), file.refusal?.length, changes.length]).toEqual([false, 1, 2])
  })
})

describe('an experiment of 90 and 10 per cent', () => {
  it('keeps the variant of a session, and gives 10,000 sessions their shares', async () => {
    const { file } = await openFile('flags.json', JSON.stringify({ features: [EXPERIMENT] }))
    const catalogue = file.current && catalogueOf(file.current)
    const decide = createDecide({
      configured: NAMED_PLANS.measured,
      off: new Set(),
      catalogue: () => catalogue,
      isRolledBack: () => false,
      newSessionId: () => 'never used',
    })
    const variantOf = (sessionId: string) => decide({ tenant: null, sessionId }).assignment?.variant
    const first = Array.from({ length: 10_000 }, (_, at) => variantOf(`session ${at}`))
    const again = Array.from({ length: 100 }, (_, at) => variantOf(`session ${at}`))
    expect(again).toEqual(first.slice(0, 100))
    const treated = first.filter(variant => variant === 'half').length
    // Four standard deviations of a binomial count: sqrt(10,000 · 0.1 · 0.9) = 30.
    expect(Math.abs(treated - 1_000)).toBeLessThan(120)
    expect(first.length - treated).toBe(first.filter(variant => variant === 'control').length)
  })
})

describe('a folder of plans', () => {
  const openPlans = async () => {
    const plans = await openPlanFolder(folder, 'off', () => {})
    if (!('faults' in plans)) onTestFinished(() => plans.close())
    return plans
  }

  it('has the values of each file by its name', async () => {
    await writeFile(join(folder, 'short.yaml'), 'packing.mode: sentence\nCONTEXT_TOKEN_BUDGET: 500\n')
    await writeFile(join(folder, 'notes.txt'), 'no plan')
    const plans = await openPlans()
    const changes = 'faults' in plans ? undefined : plans.current.get('short')
    expect(changes && changePlan(NAMED_PLANS.measured, changes)).toMatchObject({
      budgetTokens: 500,
      packing: { mode: 'sentence' },
    })
    await writeFile(join(folder, 'short.yaml'), 'packing.mode: words\n')
    if (!('faults' in plans)) {
      await plans.reload()
      expect([plans.refusal?.[0], plans.current.has('short')]).toEqual([
        expect.stringMatching(/^short\.yaml: packing\.mode=words: /),
        true,
      ])
    }
  })

  it('with faults is refused, each with its file', async () => {
    await writeFile(join(folder, 'a.yaml'), 'RERANKER: crossencoder\n')
    await writeFile(join(folder, 'design.json'), '{}')
    await writeFile(join(folder, 'z.json'), '{')
    expect(await openPlans()).toEqual({
      faults: [
        'a.yaml: RERANKER=crossencoder: the process has loaded no such reranker (RERANKER=off)',
        'design.json: design is the name of a plan of stowage',
        expect.stringMatching(/^z\.json: is not JSON/),
      ],
    })
  })
})
