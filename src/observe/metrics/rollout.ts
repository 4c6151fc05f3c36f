import type { Registry } from 'prom-client'
import { codesOf, SHADOW_OUTCOMES } from '../../core/vocabulary.ts'
import { REQUEST_SECONDS, SHARES, TOKENS } from './buckets.ts'
import { declareIn } from './declare.ts'

/** Metrics of flags, experiments and shadow runs. */
export function createRolloutMetrics(registry: Registry) {
  const { counter, gauge, histogram } = declareIn(registry)
  const ofVariant = { experiment: [], variant: [] }
  return {
    flagDecisions: counter({
      name: 'stowage_flag_decisions_total',
      help: 'Flags that a source set for a request, by flag, value and source',
      labels: { flag: [], value: [], source: [] },
    }),
    flagsSourceUp: gauge({
      name: 'stowage_flags_source_up',
      help: '1 while the last refresh of the Unleash server succeeded, 0 while known or default values are used; absent without Unleash',
      labels: { source: [] },
    }),
    flagsRefreshed: gauge({
      name: 'stowage_flags_refresh_timestamp_seconds',
      help: 'Unix time of the last successful refresh of flags',
      labels: { source: [] },
    }),
    flagsUnknown: gauge({
      name: 'stowage_flags_unknown',
      help: 'Flags of the source that begin with stowage. and name nothing known, or hold values that no plan can have',
    }),
    flagsFileRefused: gauge({
      name: 'stowage_flags_file_refused',
      help: '1 while the file of flags or the folder of plans, as it is now, is refused as a whole and the content of before is used, else 0',
    }),
    experimentRequests: counter({
      name: 'stowage_experiment_requests_total',
      help: 'Requests of experiments, by variant and outcome: ok, or failed; an answer from the cache is neither',
      labels: { ...ofVariant, outcome: [] },
    }),
    experimentSeconds: histogram({
      name: 'stowage_experiment_request_seconds',
      help: 'Time of the pipeline for requests of experiments, in seconds',
      labels: ofVariant,
      buckets: REQUEST_SECONDS,
    }),
    experimentTokens: histogram({
      name: 'stowage_experiment_context_tokens',
      help: 'Tokens of the answers of experiments',
      labels: ofVariant,
      buckets: TOKENS,
    }),
    experimentRecallProxy: histogram({
      name: 'stowage_experiment_recall_proxy_ratio',
      help: 'Share of the first ten candidates of the searches that is in the answer, for requests of experiments',
      labels: ofVariant,
      buckets: SHARES,
    }),
    experimentRolledBack: gauge({
      name: 'stowage_experiment_rolled_back',
      help: '1 while the rollback breaker of an experiment is open, so that everyone gets the control, else 0',
      labels: { experiment: [] },
    }),
    experimentRollbacks: counter({
      name: 'stowage_experiment_rollbacks_total',
      help: 'Rollbacks of experiments, by the trigger',
      labels: { experiment: [], trigger: [] },
    }),
    shadowRuns: counter({
      name: 'stowage_shadow_runs_total',
      help: 'Shadow runs by outcome: compared, failed, or dropped because too many waited or stowage was busy',
      labels: { outcome: codesOf(SHADOW_OUTCOMES) },
    }),
    shadowQueue: gauge({ name: 'stowage_shadow_queue', help: 'Shadow runs that wait or run' }),
    shadowOverlap: histogram({
      name: 'stowage_shadow_overlap_ratio',
      help: 'Jaccard index of the chunks of a shadow run and of its answer',
      buckets: SHARES,
    }),
  }
}
