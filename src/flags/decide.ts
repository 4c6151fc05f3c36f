import { type Assignment, type AssignmentUnit, CONTROL } from '../pipeline/plan/assignment.ts'
import type { DecidePlan, DecisionSubject, FlagDecision, PlanDecision } from '../pipeline/plan/decision.ts'
import { planFor } from '../pipeline/plan/decision.ts'
import type { Plan } from '../pipeline/plan/plan.ts'
import type { FlagCatalogue, Trial } from './catalogue.ts'
import { createPlanMerger, type PlanStep } from './plan-steps.ts'
import type { FlagContext, FlagValue, VariantDefinition } from './provider.ts'
import { IMPROVE, QUESTION_RELAY, SWITCHES, type Switch } from './table.ts'

export interface DecideDependencies {
  /** The plan of the configuration. Its reranker is the one that the process has loaded. */
  configured: Plan
  /** The keys that the kill switch turns off. They win over everything. */
  off: ReadonlySet<string>
  /** The flags as they are now; null while no source has any. Checking them again for each request would cost too much. */
  catalogue(): FlagCatalogue | null
  /** Whether everyone gets the control of an experiment. */
  isRolledBack(experiment: string): boolean
  /** A session for a request that has none. */
  newSessionId(): string
}

/**
 * Decides the plan of a request by its flags. Later steps win: the plan of the tenant, the switches in the order of their table, the
 * variant of the experiment, the kill switch. Never throws: what cannot be evaluated leaves the plan as it is.
 */
export function createDecide(dependencies: DecideDependencies): DecidePlan {
  const merge = createPlanMerger()
  const decide = (subject: DecisionSubject, catalogue: FlagCatalogue | null): PlanDecision => {
    const base = planFor(subject, dependencies.configured)
    const reading = new Reading(subject, catalogue, dependencies)
    const improve = reading.valueOf(IMPROVE)
    if (improve?.enabled === false) {
      return {
        plan: merge(base, [WITHOUT_RULES]),
        improves: false,
        findsQuestion: false,
        flags: reading.flags,
        assignment: null,
        shadow: null,
      }
    }
    const first = catalogue?.stepOf(improve?.variant?.payload ?? null) ?? null
    const switched = [...(first === null ? [] : [first]), ...reading.switchSteps()]
    const experiment = subject.isReplay ? null : reading.experiment()
    const steps = experiment?.step ? [...switched, experiment.step] : switched
    const shadow = subject.isReplay ? null : reading.shadow()
    const kills = reading.killSteps()
    return {
      plan: merge(base, [...steps, ...kills]),
      improves: true,
      findsQuestion: !reading.isOff(QUESTION_RELAY),
      flags: reading.flags,
      assignment: experiment?.assignment ?? null,
      shadow: shadow && {
        experiment: shadow.name,
        variant: shadow.variant,
        plan: merge(base, [...steps, shadow.step, ...kills]),
      },
    }
  }
  return subject => {
    try {
      return decide(subject, dependencies.catalogue())
    } catch {
      return decide(subject, null)
    }
  }
}

const WITHOUT_RULES = offStep(SWITCHES[0] as Switch)
const OFF_STEPS = new Map(SWITCHES.map(one => [one.key, offStep(one)]))

function offStep({ key, off }: Switch): PlanStep {
  return { id: `${key}=off`, change: off }
}

/** Reads the flags of one request, and notes each that a source sets. */
class Reading {
  readonly flags: FlagDecision[] = []
  private readonly subject: DecisionSubject
  private readonly catalogue: FlagCatalogue | null
  private readonly dependencies: DecideDependencies
  private readonly context: FlagContext

  constructor(subject: DecisionSubject, catalogue: FlagCatalogue | null, dependencies: DecideDependencies) {
    this.subject = subject
    this.catalogue = catalogue
    this.dependencies = dependencies
    const { tenant, sessionId } = subject
    this.context = { tenant: tenant?.name ?? null, sessionId: sessionId ?? dependencies.newSessionId() }
  }

  /** The value of a flag; null when no source sets it. */
  valueOf(flag: string): FlagValue | null {
    if (this.dependencies.off.has(flag)) {
      this.flags.push({ flag, enabled: false, source: 'kill_switch', variant: null })
      return { enabled: false, variant: null }
    }
    const value = this.catalogue?.flags.evaluate(flag, this.context) ?? null
    if (this.catalogue === null || value === null) return null
    const { enabled, variant } = value
    this.flags.push({ flag, enabled, source: this.catalogue.flags.source, variant: variant?.name ?? null })
    return value
  }

  /** Whether a flag that was read is off. */
  isOff(flag: string): boolean {
    return this.flags.some(read => read.flag === flag && !read.enabled)
  }

  /** What the switches do, but for the whole. */
  switchSteps(): PlanStep[] {
    const { configured, off } = this.dependencies
    const set = SWITCHES.filter(one => off.has(one.key) || this.catalogue?.switches.includes(one))
    return set
      .filter(({ key }) => key !== IMPROVE)
      .flatMap(one => {
        const value = this.valueOf(one.key)
        if (value === null) return []
        if (!value.enabled) return [offStep(one)]
        const payload = this.catalogue?.stepOf(value.variant?.payload ?? null) ?? null
        const on = { id: `${one.key}=on`, change: (plan: Plan) => one.on(plan, configured.rerank.method) }
        return payload === null ? [on] : [on, payload]
      })
  }

  /** The first experiment that is enabled, and what its variant does. */
  experiment(): { assignment: Assignment; step: PlanStep | null } | null {
    for (const trial of this.catalogue?.experiments ?? []) {
      const variant = this.variantOf(trial)
      if (variant === null) continue
      const isRolledBack = this.dependencies.isRolledBack(trial.name)
      const name = isRolledBack ? CONTROL : variant.name
      return {
        assignment: {
          experiment: trial.name,
          variant: name,
          unit: unitOf(setWith(trial, variant.name)?.[0]?.stickiness ?? 'default', this.subject),
          // The share tells readers of traces that nobody got a treatment.
          share: isRolledBack ? 1 : shareOf(trial, name),
        },
        step: name === CONTROL ? null : (this.catalogue?.stepOf(variant.payload) ?? null),
      }
    }
    return null
  }

  /** The first shadow run that is enabled. */
  shadow(): { name: string; variant: string; step: PlanStep } | null {
    for (const trial of this.catalogue?.shadows ?? []) {
      const variant = this.variantOf(trial)
      const step = variant === null || variant.name === CONTROL ? null : this.catalogue?.stepOf(variant.payload)
      if (variant && step) return { name: trial.name, variant: variant.name, step }
    }
    return null
  }

  /** The switches that the kill switch turns off, once more: no payload turns them on again. */
  killSteps(): PlanStep[] {
    return [...this.dependencies.off].flatMap(key => OFF_STEPS.get(key) ?? [])
  }

  private variantOf({ key }: Trial): FlagValue['variant'] {
    const value = this.valueOf(key)
    return value?.enabled ? value.variant : null
  }
}

/** The unit that keeps its variant. A context without the value that is hashed gets a random variant. */
function unitOf(stickiness: string, { tenant, sessionId }: DecisionSubject): AssignmentUnit {
  const bySession = sessionId === null ? 'request' : 'session'
  if (stickiness === 'random') return 'request'
  if (stickiness === 'sessionId') return bySession
  if (tenant !== null) return 'tenant'
  return stickiness === 'default' ? bySession : 'request'
}

function setWith({ variantSets }: Trial, name: string): readonly VariantDefinition[] | undefined {
  return variantSets.find(set => set.some(variant => variant.name === name))
}

/** The weight of a variant among all; null when the strategies of the flag disagree. */
function shareOf({ variantSets }: Trial, name: string): number | null {
  const shares = variantSets
    .filter(set => set.length > 0)
    .map(set => {
      const total = set.reduce((sum, { weight }) => sum + weight, 0)
      return (set.find(variant => variant.name === name)?.weight ?? 0) / total
    })
  const [first] = shares
  return first !== undefined && first > 0 && shares.every(share => share === first) ? first : null
}
