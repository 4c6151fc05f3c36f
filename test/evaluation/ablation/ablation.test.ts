import { describe, expect, it } from 'vitest'
import { prepareAblation } from '../../../src/commands/replay/ablate.ts'
import { ablationArms, barePlan } from '../../../src/evaluation/ablation/arms.ts'
import { armsByEffect } from '../../../src/evaluation/ablation/arms-by-effect.ts'
import { RULE_NAMES, RULES, type Rule, type RuleName } from '../../../src/evaluation/ablation/rules.ts'
import type { PlanArm } from '../../../src/evaluation/arms/arm.ts'
import { replay } from '../../../src/evaluation/replay/replay.ts'
import { ablationMarkdown } from '../../../src/evaluation/report/ablation/markdown.ts'
import { ablationText } from '../../../src/evaluation/report/ablation/text.ts'
import { planFingerprint } from '../../../src/pipeline/plan/derived.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import { overridePlan } from '../../../src/pipeline/plan/override-plan.ts'
import type { Plan } from '../../../src/pipeline/plan/plan.ts'
import { inventedJob, inventedSet, inventedWorld } from '../support/invented-world.ts'

const measured: PlanArm = { kind: 'plan', name: 'measured', plan: NAMED_PLANS.measured }
const design: PlanArm = { kind: 'plan', name: 'design', plan: NAMED_PLANS.design }

/** Dedupe finds a third more, a document cap loses a third, and nothing else has an effect. */
const finds = (query: number, { dedupe, packing }: Plan) =>
  query % 3 === 0 ||
  (query % 3 === 1 && dedupe.containment !== null) ||
  (query % 3 === 2 && packing.documentCap === null)

async function ablate(rules: readonly RuleName[], sets = [inventedSet(45)], reranker: string | null = 'fake') {
  const { arms, read } = prepareAblation(measured, rules, { measure: 'recall', reranker })
  return read(await replay({ ...inventedJob, sets, arms, budgets: [20, 40] }, inventedWorld(finds, { reranker })))
}

describe('the arms of an ablation, by effect', () => {
  it('begin with the plan and what moves it most, and end with the bare plan and its rules', async () => {
    const rules: RuleName[] = ['mmr', 'document_cap', 'dedupe']
    const { arms, pairs, read } = prepareAblation(measured, rules, { measure: 'recall', reranker: 'fake' })
    const job = { ...inventedJob, sets: [inventedSet(45)], arms, budgets: [20, 40] }
    const report = await replay(job, inventedWorld(finds, { reranker: 'fake' }))
    const names = armsByEffect(report.arms, read(report), pairs).map(({ name }) => name)
    expect(names[0]).toBe('measured')
    expect(names.slice(1, 3).sort()).toEqual(['measured with document_cap', 'measured without dedupe'])
    expect(names[3]).toBe('measured with mmr')
    expect(names.slice(4).every(name => name.startsWith('bare'))).toBe(true)
    expect([...names].sort()).toEqual(arms.map(({ name }) => name).sort())
  })
})

describe('the rules of an ablation', () => {
  it.each(RULE_NAMES)('%s can be switched off and on in every plan, and does not touch another rule', rule => {
    const { on, off, isOn, requires = {} }: Rule = RULES[rule]
    for (const { plan } of [measured, design]) {
      expect(isOn(overridePlan(overridePlan(plan, requires), on))).toBe(true)
      expect(isOn(overridePlan(plan, off))).toBe(false)
    }
    expect(isOn(barePlan(measured.plan))).toBe(false)
    const ground = overridePlan(barePlan(measured.plan), requires)
    const others = RULE_NAMES.filter(other => RULES[other].isOn(ground))
    const withRule = RULE_NAMES.filter(other => RULES[other].isOn(overridePlan(ground, on)))
    const parts: RuleName[] = [
      'mentions',
      'propagation',
      'document_share',
      'expansion',
      'fetched_neighbours',
      'section_reunification',
    ]
    expect(withRule.filter(other => !others.includes(other) && !parts.includes(other))).toEqual(
      parts.includes(rule) ? [] : [rule],
    )
  })

  it('compares arms that differ in one rule, and runs equal plans once', () => {
    for (const arm of [measured, design]) {
      const { arms, pairs } = ablationArms(arm, RULE_NAMES)
      expect(new Set(arms.map(({ plan }) => planFingerprint(plan))).size).toBe(arms.length)
      expect(new Set(arms.map(({ name }) => name)).size).toBe(arms.length)
      const planOf = (name: string) => arms.find(one => one.name === name)?.plan as Plan
      for (const pair of pairs) {
        expect(RULES[pair.rule].isOn(planOf(pair.with)), `${pair.rule} ${pair.kind}`).toBe(true)
        expect(RULES[pair.rule].isOn(planOf(pair.without)), `${pair.rule} ${pair.kind}`).toBe(false)
        const own = pair.kind === 'off alone' && (pair.inPlan ? pair.with : pair.without)
        const needsMore = 'requires' in RULES[pair.rule] && !pair.inPlan
        if (own && !needsMore) expect(planOf(own)).toEqual(arm.plan)
      }
    }
  })

  it('keeps the own values of a plan that uses the rule', () => {
    const { arms } = ablationArms(design, ['document_cap'])
    const caps = Object.fromEntries(arms.map(({ name, plan }) => [name, plan.packing.documentCap]))
    expect(caps).toMatchObject({
      design: 2,
      'design without document_cap': null,
      bare: null,
      'bare with document_cap': 2,
    })
  })
})

describe('an ablation', () => {
  it('names the rule that helps, the one that hurts, and leaves the others unproven', async () => {
    const ablation = await ablate(['dedupe', 'document_cap', 'mmr', 'expansion'])
    const verdicts = Object.fromEntries(
      ablation.rows
        .filter(({ measure, set }) => measure === 'recall' && set === null)
        .map(({ rule, kind, verdict, difference }) => [`${rule} ${kind}`, [verdict, Math.round(difference.mean * 3)]]),
    )
    expect(verdicts).toEqual({
      'dedupe off alone': ['helps', 1],
      'dedupe on alone': ['helps', 1],
      'document_cap off alone': ['hurts', -1],
      'document_cap on alone': ['hurts', -1],
      'mmr off alone': ['unproven', 0],
      'mmr on alone': ['unproven', 0],
      'expansion off alone': ['unproven', 0],
      'expansion on alone': ['unproven', 0],
    })
    expect(ablation.rows.find(({ rule }) => rule === 'document_cap')).toMatchObject({ inPlan: false })
    expect(ablation.measures).toContain('garbage')
  })

  it('gives effects by set for the main measure, and says what it skipped', async () => {
    const ablation = await ablate(['dedupe', 'reranker'], [inventedSet(30, 'one'), inventedSet(24, 'two')], null)
    expect(ablation.skipped).toEqual([{ rule: 'reranker', reason: 'no reranker is loaded' }])
    expect(ablation.rules).toEqual(['dedupe'])
    const bySet = ablation.rows.filter(({ set }) => set !== null)
    expect(bySet.map(({ set, measure }) => `${set} ${measure}`)).toEqual([
      'one recall',
      'one recall',
      'two recall',
      'two recall',
    ])
    expect(ablationText(ablation)).toContain('reranker was skipped: no reranker is loaded')
    expect(ablationMarkdown(ablation, 'npx stowage replay one two --ablate')).toContain('- helps: `dedupe`')
  })

  it('prints a table within 120 columns', async () => {
    const text = ablationText(await ablate(['dedupe', 'document_cap', 'section_reunification']))
    expect(text).toMatch(/│ dedupe +│ +yes │ \+33\.3\* \[\+\d+\.\d,\+\d+\.\d\] │ <\.001 │ +helps │/)
    expect(text).toMatch(/document_cap +│ +│ -33\.3\* .* hurts/)
    expect(text.split('\n').filter(line => line.length > 120)).toEqual([])
  })
})
