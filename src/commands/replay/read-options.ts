import { badRequest } from '../../core/errors.ts'
import type { Chunking } from '../../core/types.ts'
import type { RuleName } from '../../evaluation/ablation/rules.ts'
import type { ReportOptions } from './html-report.ts'
import type { ArmFlags } from './inputs.ts'
import type { OutputOptions } from './outputs.ts'
import type { SessionFlags } from './session.ts'
import type { TuneFlags } from './tune-options.ts'

export interface ReplayFlags
  extends Omit<OutputOptions, 'against' | 'command'>,
    ReportOptions,
    Omit<ArmFlags, 'collection'>,
    SessionFlags,
    TuneFlags {
  budgets?: number[]
  chunkTokens?: number
  chunking: Chunking
  gate?: string
  updateBaseline?: string
  command: string
  version: string | null
  ablate?: string | true
  rules: readonly RuleName[]
  explain: boolean
  verdicts: boolean
  /** The options that stand on the command line. */
  given: readonly ReplayOption[]
}

/** An option of `stowage replay`, as its flags name it. */
export type ReplayOption = keyof Omit<ReplayFlags, 'command' | 'version' | 'given'>

/** What `stowage replay` does, and the option that asks for it. */
const MODES = {
  gate: '--gate',
  updateBaseline: '--update-baseline',
  tune: '--tune',
  ablate: '--ablate',
  verdicts: '--verdicts',
  compare: 'a comparison of arms',
} as const
export type ReplayMode = keyof typeof MODES

const EVERY = Object.keys(MODES) as ReplayMode[]
const DRAWS: ReplayMode[] = ['compare', 'ablate']
const CHOOSES_PLANS: ReplayMode[] = [...DRAWS, 'tune']
const TAKES_ARMS: ReplayMode[] = ['compare', 'tune', 'verdicts', 'gate', 'updateBaseline']
const REPLAYS: ReplayMode[] = [...CHOOSES_PLANS, 'gate', 'updateBaseline']
const WRITES: ReplayMode[] = [...DRAWS, 'gate']

/** Which modes read each option. */
const READ_BY: Record<ReplayOption, readonly ReplayMode[]> = {
  url: EVERY,
  apiKey: EVERY,
  collection: EVERY,
  context: EVERY,
  chunkTokens: EVERY,
  parallel: EVERY,
  cache: EVERY,
  budgets: REPLAYS,
  fresh: REPLAYS,
  chunking: [...CHOOSES_PLANS, 'verdicts'],
  measure: CHOOSES_PLANS,
  arms: TAKES_ARMS,
  arm: TAKES_ARMS,
  limitQueries: [...DRAWS, 'verdicts'],
  judge: WRITES,
  judgeBudget: WRITES,
  json: [...WRITES, 'verdicts'],
  markdown: WRITES,
  report: DRAWS,
  reportBudget: DRAWS,
  against: ['compare'],
  by: ['compare'],
  explain: ['compare'],
  serverKeys: ['compare'],
  ablate: ['ablate'],
  rules: ['ablate'],
  tune: ['tune'],
  trials: ['tune'],
  seed: ['tune'],
  tuneValues: ['tune'],
  trainShare: ['tune'],
  write: ['tune'],
  force: ['tune'],
  verdicts: ['verdicts'],
  gate: ['gate'],
  updateBaseline: ['updateBaseline'],
}

/**
 * What the options ask for. An option that it does not read is refused, so that nobody waits for its file or believes its figures.
 * @throws StowageError `bad_request`
 */
export function readMode(flags: ReplayFlags): ReplayMode {
  const mode = EVERY.find(name => name !== 'compare' && flags[name]) ?? 'compare'
  const unread = flags.given.find(name => !READ_BY[name].includes(mode))
  if (unread === undefined) return mode
  const readers = READ_BY[unread].map(name => MODES[name]).join(', ')
  const option = `--${unread.replace(/[A-Z]/gu, letter => `-${letter.toLowerCase()}`)}`
  throw badRequest(`${MODES[mode]} does not read ${option}; read by: ${readers}`)
}
