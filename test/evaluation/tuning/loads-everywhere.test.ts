import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openPlanFolder } from '../../../src/adapters/flags/plan-folder.ts'
import { loadConfig } from '../../../src/config.ts'
import { parseNamedArm } from '../../../src/evaluation/arms/parse.ts'
import { planFileText } from '../../../src/evaluation/tuning/plan-file.ts'
import { changePlan } from '../../../src/pipeline/plan/changes.ts'
import { planFingerprint } from '../../../src/pipeline/plan/derived.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import { overridePlanByText } from '../../../src/pipeline/plan/override-plan.ts'
import { readTenantsFile } from '../../../src/tenants/file/read.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { declareTenants } from '../../support/tenants-file.ts'

it('one plan file gives one plan to serve, to flags, to a tenant and to a replay', async () => {
  const folder = temporaryFolder('stowage-tuned')
  const path = join(folder, 'tuned.json')
  const { plan } = overridePlanByText(NAMED_PLANS.design, [
    { path: 'packing.mode', value: 'sentence' },
    { path: 'packing.documentCap', value: 'off' },
    { path: 'rerank.blend', value: '0.42' },
  ])
  const text = planFileText(plan)
  await writeFile(path, text)
  const fingerprint = planFingerprint(plan)

  const config = loadConfig({ STOWAGE_PLAN: path })
  expect(planFingerprint(config.plan)).toBe(fingerprint)

  const configured = loadConfig({})
  const opened = await openPlanFolder(folder, configured.plan.rerank.method, () => {})
  if ('faults' in opened) throw new Error(opened.faults.join())
  const named = opened.current.get('tuned')
  opened.close()
  expect(named && planFingerprint(changePlan(configured.plan, named))).toBe(fingerprint)

  const declared = declareTenants({ acme: { whole_collections: true, plan: JSON.parse(text) } })
  const { directory } = readTenantsFile(Buffer.from(JSON.stringify(declared)), 'json', configured)
  const [tenant] = directory?.tenants ?? []
  expect(tenant?.plan && planFingerprint(tenant.plan)).toBe(fingerprint)

  const arm = parseNamedArm(`tuned=${path}:rerank.deadlineMs=${plan.rerank.deadlineMs}`, NAMED_PLANS)
  expect(arm.kind === 'plan' && planFingerprint(arm.plan)).toBe(fingerprint)
})
