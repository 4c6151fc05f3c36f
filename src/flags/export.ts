import { CONTROL } from '../pipeline/plan/assignment.ts'
import type { Plan } from '../pipeline/plan/plan.ts'
import { EXPERIMENT, SWITCHES } from './table.ts'

/** An experiment with one treatment, to be written for Unleash or a flags file. */
export interface NewExperiment {
  name: string
  /** Per cent of the sessions that get the treatment, in [0.1, 99.9]. */
  share: number
  /** Plan values as JSON, or the name of a plan. */
  plan: string
}

/** Weights of Unleash are thousandths. */
const WHOLE_WEIGHT = 1_000

interface NewFlag {
  key: string
  description: string
  type: string
  enabled: boolean
  variants: object[]
}

/** All switches as a plan has them, and an experiment by session. */
function newFlags(plan: Plan, experiment: NewExperiment | null): NewFlag[] {
  const flags = SWITCHES.map(({ key, guards, isOn }) => ({
    key,
    description: guards,
    type: 'operational',
    enabled: isOn(plan),
    variants: [],
  }))
  if (experiment === null) return flags
  const weight = Math.round((experiment.share / 100) * WHOLE_WEIGHT)
  const { plan: value } = experiment
  const payload = { type: value.trimStart().startsWith('{') ? 'json' : 'string', value }
  const variant = (name: string, of: number, weightType: string, more: object = {}) => ({
    name,
    weight: of,
    weightType,
    stickiness: 'sessionId',
    ...more,
  })
  return [
    ...flags,
    {
      key: `${EXPERIMENT}${experiment.name}`,
      description: `Experiment: ${experiment.share} % of the sessions get the treatment.`,
      type: 'experiment',
      enabled: true,
      // Unleash gives a variant of the type `variable` what the others leave.
      variants: [variant(CONTROL, WHOLE_WEIGHT - weight, 'variable'), variant('treatment', weight, 'fix', { payload })],
    },
  ]
}

/** A strategy for everybody; the variants are its own, as the user interface of Unleash makes them. */
function everybody({ key, variants }: NewFlag) {
  const stickiness = variants.length > 0 ? 'sessionId' : 'default'
  return {
    name: 'flexibleRollout',
    parameters: { rollout: '100', stickiness, groupId: key },
    constraints: [],
    variants,
    segments: [],
  }
}

/** The file that Unleash exports and imports, in its user interface or as `data` of `/api/admin/features-batch/import`. */
export function unleashImport(plan: Plan, experiment: NewExperiment | null): object {
  const flags = newFlags(plan, experiment)
  return {
    features: flags.map(({ key, description, type }) => ({
      name: key,
      description,
      type,
      project: 'default',
      stale: false,
      impressionData: false,
      archived: false,
    })),
    featureStrategies: flags.map(flag => ({
      ...everybody(flag),
      featureName: flag.key,
      title: '',
      disabled: false,
      sortOrder: 0,
    })),
    featureEnvironments: flags.map(({ key, enabled }) => ({
      name: key,
      featureName: key,
      environment: 'default',
      enabled,
      variants: [],
    })),
    contextFields: [],
    featureTags: [],
    segments: [],
    tagTypes: [],
    dependencies: [],
  }
}

/** The content of a flags file. */
export function flagsFile(plan: Plan, experiment: NewExperiment | null): object {
  return {
    version: 2,
    features: newFlags(plan, experiment).map(flag => ({
      name: flag.key,
      description: flag.description,
      type: flag.type,
      enabled: flag.enabled,
      strategies: [everybody(flag)],
    })),
  }
}
