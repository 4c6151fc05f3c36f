import { isPlanFile, readPlanFile } from '../../config/plan-file.ts'
import { badRequest } from '../../core/errors.ts'
import { redactUrls } from '../../core/redact-urls.ts'
import { changePlan } from '../../pipeline/plan/changes.ts'
import { overridePlanByText, type TextOverride } from '../../pipeline/plan/override-plan.ts'
import type { Plan } from '../../pipeline/plan/plan.ts'
import type { Arm, PlanArm, ServerArm } from './arm.ts'
import { type NamedPlans, namedArm } from './named-arms.ts'

/** Ten minutes: every pair is scored, so figures do not depend on the load of the machine. */
const RERANK_DEADLINE_MS = 600_000

/** The arms as the command line gives them. */
interface ArmOptions {
  /** `--arms`: names between commas. */
  arms: string
  /** `--arm`, once for each: `NAME=SPEC`. */
  named: readonly string[]
  /** `--collection`: what server arms ask. */
  collection?: string | undefined
}

/**
 * Reads the arms of `--arms` and `--arm`. Plan files are read here, once.
 * @throws StowageError `bad_request` as the parsers of both do, and for an arm that is given twice or none at all
 */
export function readArms({ arms: text, named, collection }: ArmOptions, plans: NamedPlans): Arm[] {
  const arms = [
    ...splitArms(text).map(spec => planArm(spec, plans)),
    ...named.map(one => parseNamedArm(one, plans, collection ?? null)),
  ]
  const twice = arms.find((arm, index) => arms.findIndex(other => other.name === arm.name) !== index)
  if (twice) throw badRequest(`arm ${twice.name} is given twice`)
  if (arms.length === 0) throw badRequest('no arms given')
  return arms
}

/**
 * Parses arms from the command line: names between commas, each with optional overrides of plan values.
 * `topk,measured,measured:packing.sentenceCut=false,reunification.expansion=0` are three arms, the last one with two overrides.
 * @throws StowageError `bad_request` for an unknown arm or plan value, an invalid value, or an arm that is given twice
 */
export function parseArms(text: string, plans: NamedPlans): PlanArm[] {
  return readArms({ arms: text, named: [] }, plans).filter(arm => arm.kind === 'plan')
}

/**
 * Parses `NAME=SPEC`. SPEC is a named arm or a plan file, both with optional overrides, or the URL of a stowage:
 * `caps=measured:packing.documentCap=2`, `tuned=./plans/tuned.json`, `old=https://stowage.example`.
 * @throws StowageError `bad_request` as `parseArms` does, and for a plan file or URL that cannot be used
 */
export function parseNamedArm(text: string, plans: NamedPlans, collection: string | null = null): Arm {
  const [, name = '', spec = ''] = /^([^=:,\s]+)=(\S.*)$/su.exec(text.trim()) ?? []
  if (name === '')
    throw badRequest(
      `--arm ${redactUrls(text)}: write NAME=SPEC, where SPEC is an arm, a plan file or the URL of a stowage`,
    )
  if (/^[a-z]+:\/\//iu.test(spec)) return serverArm(name, spec, collection)
  const [, base = '', changes = ''] = /^(.*?)(?::([\w.]+=.*))?$/su.exec(spec) ?? []
  const overrides = changes === '' ? [] : changes.split(',').map(piece => readOverride(piece, name))
  return { ...planArm({ base, overrides }, plans), name }
}

interface ArmSpec {
  base: string
  overrides: TextOverride[]
}

function planArm({ base, overrides }: ArmSpec, plans: NamedPlans): PlanArm {
  const spelled = overrides.map(({ path, value }) => `${path}=${value}`).join(',')
  const named = isPlanFile(base) ? planOfFile(base, plans) : namedArm(base, plans)
  const plan = { ...named, rerank: { ...named.rerank, deadlineMs: RERANK_DEADLINE_MS } }
  return { kind: 'plan', name: spelled ? `${base}:${spelled}` : base, plan: overridden(plan, overrides) }
}

function planOfFile(path: string, plans: NamedPlans): Plan {
  const { changes, faults } = readPlanFile(path, `plan file ${path}`)
  if (changes === null) throw badRequest(faults.join('; '))
  return changePlan(plans.measured, changes)
}

function serverArm(name: string, text: string, collection: string | null): ServerArm {
  const refuse = (reason: string) => badRequest(`--arm ${name}=${redactUrls(text)}: ${reason}`)
  if (!URL.canParse(text)) throw refuse('is not a URL')
  const { protocol, username, password, search, hash, href } = new URL(text)
  if (protocol !== 'http:' && protocol !== 'https:') throw refuse('must begin with http:// or https://')
  if (username !== '' || password !== '') throw refuse('must not contain a user or password; use --server-keys')
  if (search !== '' || hash !== '') throw refuse('must not have a query or a fragment')
  return { kind: 'server', name, url: href.replace(/\/+$/u, ''), collection }
}

function overridden(base: Plan, overrides: readonly TextOverride[]): Plan {
  const budget = overrides.some(({ path }) => path === 'budgetTokens') ? ['budgetTokens is set by --budgets'] : []
  const { plan, faults } = overridePlanByText(base, overrides)
  if (faults.length + budget.length > 0) throw badRequest([...budget, ...faults].join('; '))
  return plan
}

function readOverride(piece: string, arm: string): TextOverride {
  const [, path = '', value = ''] = /^\s*([^=]+)=(.+)$/su.exec(piece) ?? []
  if (path === '') throw badRequest(`--arm ${arm}: ${piece} is no override; write VALUE=NEW between commas`)
  return { path, value: value.trim() }
}

function splitArms(text: string): ArmSpec[] {
  const arms: ArmSpec[] = []
  for (const piece of text.split(',').map(part => part.trim())) {
    if (piece === '') continue
    const match = /^(?:([^:=]+):)?([^:=]+)=(.+)$/.exec(piece)
    if (!match) {
      arms.push({ base: piece, overrides: [] })
      continue
    }
    const [, base, path = '', value = ''] = match
    if (base !== undefined) arms.push({ base, overrides: [] })
    const arm = arms.at(-1)
    if (!arm) throw badRequest(`${piece} has no arm; write ARM:${piece}`)
    arm.overrides.push({ path, value })
  }
  return arms
}
