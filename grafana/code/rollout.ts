import * as units from '@grafana/grafana-foundation-sdk/units'
import { type Choice, type Definition, INSTANCE } from './dashboard.ts'
import { mean, quantile, quantiles, rate, select } from './promql.ts'

const EXPERIMENT: Choice = {
  name: 'experiment',
  label: 'Experiment',
  metric: 'stowage_experiment_requests_total{instance=~"$instance"}',
  isMultiple: false,
}
const VARIANT: Choice = {
  name: 'variant',
  label: 'Variant',
  metric: 'stowage_experiment_requests_total{instance=~"$instance", experiment="$experiment"}',
  isMultiple: true,
}
const OF_EXPERIMENT = 'experiment="$experiment"'
const CHOSEN = [OF_EXPERIMENT, 'variant=~"$variant"'] as const
const CONTROL = [OF_EXPERIMENT, 'variant="control"'] as const
const TREATMENTS = [OF_EXPERIMENT, 'variant=~"$variant", variant!="control"'] as const

const failedShare = (matchers: readonly string[]) =>
  `${rate('variant', 'stowage_experiment_requests_total', 'outcome="failed"', ...matchers)} / ${rate('variant', 'stowage_experiment_requests_total', ...matchers)}`
const meanOf = (histogram: string, matchers: readonly string[]) => mean('variant', histogram, ...matchers)
const p95 = (matchers: readonly string[]) =>
  quantile(0.95, 'variant', 'stowage_experiment_request_seconds', ...matchers)

/** Each treatment beside the control. @param by how to compare: `-` for a difference, `/` for a ratio */
const againstControl = (by: '-' | '/', measure: (matchers: readonly string[]) => string) =>
  `(${measure(TREATMENTS)}) ${by} ignoring (variant) group_left () (${measure(CONTROL)})`

/** For the experimenter: is the treatment better, and may it go on? */
export const rollout: Definition = {
  uid: 'stowage-rollout',
  title: 'stowage: rollout',
  description:
    'For the experimenter: variants beside the control, rollbacks, flags and shadow runs. These lines show a trend; stowage ab gives the verdict.',
  choices: [INSTANCE, EXPERIMENT, VARIANT],
  rows: [
    {
      title: 'Is the treatment worse than the control? The colours are the limits of the automatic rollback',
      height: 6,
      panels: [
        {
          title: 'Failed requests, against control',
          shows: 'Difference of the shares of failed requests, in percentage points. +1 is the limit.',
          whenBad: 'Wait for the rollback, or end the experiment in Unleash now. The log names the failures.',
          unit: units.PercentUnit,
          width: 6,
          isStat: true,
          steps: [
            [null, 'green'],
            [0.005, 'orange'],
            [0.01, 'red'],
          ],
          queries: [[againstControl('-', failedShare), '{{variant}}']],
        },
        {
          title: 'p95, against control',
          shows: 'Ratio of the 95th percentiles of the time of the pipeline, minus one. +20 % is the limit.',
          whenBad:
            'Look at "Time, p95" for how long it lasts. Quantiles of few requests jump: look at "Requests by variant" too.',
          unit: units.PercentUnit,
          width: 6,
          isStat: true,
          steps: [
            [null, 'green'],
            [0.1, 'orange'],
            [0.2, 'red'],
          ],
          queries: [[`${againstControl('/', p95)} - 1`, '{{variant}}']],
        },
        {
          title: 'Recall proxy, against control',
          shows: 'Difference of the means, in percentage points. -5 is the limit.',
          whenBad:
            'The treatment leaves out what the searches find first. Compare both traces of a shadow run, or measure with stowage replay.',
          unit: units.PercentUnit,
          width: 6,
          isStat: true,
          steps: [
            [null, 'red'],
            [-0.05, 'orange'],
            [-0.025, 'green'],
          ],
          queries: [
            [againstControl('-', matchers => meanOf('stowage_experiment_recall_proxy_ratio', matchers)), '{{variant}}'],
          ],
        },
        {
          title: 'Tokens, against control',
          shows: 'Ratio of the mean tokens of an answer, minus one.',
          whenBad: 'More tokens cost money at the reader. Decide whether what they bring is worth it.',
          unit: units.PercentUnit,
          width: 6,
          isStat: true,
          queries: [
            [
              `${againstControl('/', matchers => meanOf('stowage_experiment_context_tokens', matchers))} - 1`,
              '{{variant}}',
            ],
          ],
        },
      ],
    },
    {
      title: 'Rollbacks',
      height: 5,
      panels: [
        {
          title: 'Rolled back',
          shows: '1 while the breaker of an experiment is open, so that everyone gets the control. All experiments.',
          whenBad:
            'Read the reason in the log ("the experiment is rolled back"), mend the treatment, then reset by hand (docs/operations.md).',
          unit: units.Short,
          width: 12,
          isStat: true,
          steps: [
            [null, 'green'],
            [1, 'red'],
          ],
          queries: [[`max by (experiment) (${select('stowage_experiment_rolled_back')})`, '{{experiment}}']],
        },
        {
          title: 'Rollbacks by trigger',
          shows: 'Rollbacks since the start of the process, by experiment and trigger.',
          whenBad: 'The trigger names the measure that was worse than control: error_rate, latency or recall_proxy.',
          unit: units.Short,
          width: 12,
          isStat: true,
          queries: [
            [
              `sum by (experiment, trigger) (${select('stowage_experiment_rollbacks_total')})`,
              '{{experiment}} {{trigger}}',
            ],
          ],
        },
      ],
    },
    {
      title: 'By variant',
      height: 8,
      panels: [
        {
          title: 'Requests by variant',
          shows: 'Requests of the experiment per second.',
          whenBad:
            'A variant without requests: the weights or the constraints in Unleash are wrong, or it is rolled back.',
          unit: units.RequestsPerSecond,
          width: 8,
          isStacked: true,
          queries: [[rate('variant', 'stowage_experiment_requests_total', ...CHOSEN), '{{variant}}']],
        },
        {
          title: 'Share of requests',
          shows:
            'Share of each variant. It should be near its weight; sessions differ in length, so some percent are normal.',
          whenBad:
            'Far from the weights for long: a sample-ratio mismatch, and no figure of the experiment counts. stowage ab tests it.',
          unit: units.PercentUnit,
          width: 8,
          max: 1,
          queries: [
            [
              `${rate('variant', 'stowage_experiment_requests_total', ...CHOSEN)} / on () group_left ${rate('', 'stowage_experiment_requests_total', OF_EXPERIMENT)}`,
              '{{variant}}',
            ],
          ],
        },
        {
          title: 'Failed requests, share',
          shows: 'Errors of /v1/context, and searches that passed through because improving failed.',
          whenBad: 'Both variants: Qdrant or the load. The treatment alone: its plan.',
          unit: units.PercentUnit,
          width: 8,
          queries: [[failedShare(CHOSEN), '{{variant}}']],
        },
        {
          title: 'Time, p50',
          shows: 'Time of the pipeline.',
          whenBad: 'A step for both variants is not the treatment. A gap between them is.',
          unit: units.Seconds,
          width: 6,
          queries: [[quantile(0.5, 'variant', 'stowage_experiment_request_seconds', ...CHOSEN), '{{variant}}']],
        },
        {
          title: 'Time, p95',
          shows: 'One request in twenty is slower.',
          whenBad:
            '20 % above the control opens the breaker when it lasts. Look at the stages in the packing dashboard.',
          unit: units.Seconds,
          width: 6,
          queries: [[p95(CHOSEN), '{{variant}}']],
        },
        {
          title: 'Recall proxy by variant',
          shows: 'Mean share of the first ten candidates of the searches that is in the answer.',
          whenBad: '5 points below the control opens the breaker when it lasts.',
          unit: units.PercentUnit,
          width: 6,
          max: 1,
          queries: [[meanOf('stowage_experiment_recall_proxy_ratio', CHOSEN), '{{variant}}']],
        },
        {
          title: 'Tokens by variant',
          shows: 'Mean tokens of an answer.',
          whenBad: 'A difference is no fault. Look at it beside the recall proxy.',
          unit: units.Short,
          width: 6,
          queries: [[meanOf('stowage_experiment_context_tokens', CHOSEN), '{{variant}}']],
        },
      ],
    },
    {
      title: 'Flags',
      height: 8,
      panels: [
        {
          title: 'Flags by value',
          shows:
            'Decisions per second that a source made, by flag and value. Flags that no source has are not counted.',
          whenBad: 'A value that you did not expect: stowage flags --tenant NAME says where it comes from.',
          unit: units.RequestsPerSecond,
          width: 8,
          queries: [[rate('flag, value', 'stowage_flag_decisions_total'), '{{flag}} {{value}}']],
        },
        {
          title: 'Flags by source',
          shows: 'Decisions per second by source: kill switch, Unleash or file.',
          whenBad:
            'file instead of unleash: Unleash has not answered since the start. kill_switch: someone set STOWAGE_FLAGS_OFF.',
          unit: units.RequestsPerSecond,
          width: 8,
          queries: [[rate('source', 'stowage_flag_decisions_total'), '{{source}}']],
        },
        {
          title: 'Source of flags',
          shows: 'Whether Unleash answers, and flags with a fault.',
          whenBad: 'See the alert StowageFlagsSourceDown, or StowageFlagsFaulty, in docs/operations.md.',
          unit: units.Short,
          width: 8,
          queries: [
            [`min by (source) (${select('stowage_flags_source_up')})`, '{{source}} answers'],
            [`max(${select('stowage_flags_unknown')})`, 'flags with a fault'],
          ],
        },
      ],
    },
    {
      title: 'Shadow runs',
      height: 8,
      panels: [
        {
          title: 'Shadow runs',
          shows: 'Runs per second: compared, failed, or dropped because too many waited.',
          whenBad:
            'dropped: the load leaves no room; lower the share of the shadow flag. failed: its plan does not work; set LOG_LEVEL=debug.',
          unit: units.RequestsPerSecond,
          width: 8,
          isStacked: true,
          queries: [[rate('outcome', 'stowage_shadow_runs_total'), '{{outcome}}']],
        },
        {
          title: 'Overlap with the answer',
          shows:
            'Common chunks of a shadow run and of its answer, divided by all chunks of both: median, and the tenth that differs most.',
          whenBad:
            'A low overlap is no fault. It shows how much the treatment changes: measure with stowage replay whether it helps.',
          unit: units.PercentUnit,
          width: 8,
          max: 1,
          queries: quantiles([0.5, 0.1], 'stowage_shadow_overlap_ratio'),
        },
        {
          title: 'Queue of shadow runs',
          shows: 'Runs that wait or run.',
          whenBad: 'A full queue drops runs and costs no answer. Lower the share of the shadow flag.',
          unit: units.Short,
          width: 8,
          queries: [[`sum by (instance) (${select('stowage_shadow_queue')})`, '{{instance}}']],
        },
      ],
    },
  ],
}
