import { openLiveCollection } from '../../adapters/contextualize/live-collection.ts'
import { openQdrantTwin } from '../../adapters/contextualize/qdrant-twin.ts'
import type { RequestsOptions } from '../../adapters/contextualize/requests.ts'
import type {
  ContextualizeCommandDependencies,
  ContextualizeEnvironment,
  ContextualizeTarget,
} from '../../commands/contextualize.ts'
import { type Config, diskFault, loadConfig } from '../../config.ts'
import type { ContextRequest, ContextWriter } from '../../contexts/context.ts'
import { onlyPayload } from '../../contexts/context-stamp.ts'
import { createPromptBuilder, longestPromptOf } from '../../contexts/prompt/prompt.ts'
import { createRulesWriter } from '../../contexts/rules/rules-writer.ts'
import { contextualize } from '../../contextualize/contextualize.ts'
import { recogniseEncoding } from '../../contextualize/encoding/recognise.ts'
import type { LiveCollection } from '../../contextualize/live-collection.ts'
import { coverageOf } from '../../contextualize/report/coverage.ts'
import { estimate } from '../../contextualize/report/estimate.ts'
import { sampleContexts } from '../../contextualize/report/sample.ts'
import { allFormer, rollBack } from '../../contextualize/rollback.ts'
import { type Budget, createBudget, worstCaseOf } from '../../contextualize/state/budget.ts'
import { dollarsOf, type FindPrice } from '../../contextualize/state/spending.ts'
import {
  copyMarkIn,
  openOnlineStates,
  openState,
  type RunState,
  spendingIn,
  stateFolderOf,
} from '../../contextualize/state/state-folder.ts'
import { openTenantRules } from '../../contextualize/tenants.ts'
import { contextualizeInto, prepareTwin } from '../../contextualize/twin/blue-green.ts'
import { badRequest, messageOf, StowageError } from '../../core/errors.ts'
import { openTogether } from '../../core/work/opened.ts'
import { lockFolder } from '../../files/folder-lock.ts'
import { createQdrantHttp } from '../../qdrant/client.ts'
import { endpointAllowed } from '../../tenants/context-endpoints.ts'
import { createTokenizer } from '../../text/tokens.ts'
import { openIngestEmbedder } from '../ingest.ts'
import { readTenants } from '../tenants.ts'
import { openExisting } from '../upstream.ts'
import { mostOutputOf, openContextWriter, openPrice, openPrompt, shortestCachedOf } from './open-writer.ts'

/** For `stowage contextualize`. Models and the state are opened by the modes that need them. */
export const openContextualize: ContextualizeCommandDependencies['open'] = target =>
  openTogether(async opened => {
    const config = loadConfig()
    const { url, apiKey } = target
    const upstream = opened.keep(await openExisting(config, { ...(url && { url }), ...(apiKey && { apiKey }) }))
    const http = opened.keep(createQdrantHttp(upstream.url))
    const environment = await environmentOf(config, target, { http, apiKey: upstream.apiKey })
    return { ...environment, place: upstream.url, close: opened.close }
  })

/** @param server whose points get contexts; it stays open */
export async function environmentOf(
  config: Config,
  target: ContextualizeTarget,
  server: RequestsOptions,
): Promise<Omit<ContextualizeEnvironment, 'place' | 'close'>> {
  const { collection: sourceName, into, alias = null, context, onlyPayload: isPayloadOnly } = target
  const { count: countTokens } = createTokenizer(config.plan.tokenizerModel)
  const mapping = config.settings.MAPPINGS?.[sourceName]
  const source = openLiveCollection({ ...server, collection: sourceName, mapping })
  const collection = into === undefined ? source : openLiveCollection({ ...server, collection: into, mapping })
  const twin = into === undefined ? null : openQdrantTwin({ ...server, source: sourceName, twin: into })
  const written = openContextWriter(config, context, countTokens)
  const writer = isPayloadOnly ? { ...written, version: onlyPayload(written.version) } : written
  const prompt = context === 'rules' ? createPromptBuilder({ countTokens }) : openPrompt(config, countTokens)
  const findPrice: FindPrice = asked => openPrice(config, { ...writer, ...asked })
  const rules = createRulesWriter({ countTokens })
  const tenants = (await readTenants(config))?.tenants ?? null
  const openRules = () => openTenantRules(source, tenants, tenant => endpointAllowed(tenant, writer.endpoint))
  const folder = target.state ?? stateFolderOf(into ?? sourceName, config.settings.CONTEXT_STATE_FOLDER)
  const place: StatePlace = { folder, named: target.state === undefined ? 'CONTEXT_STATE_FOLDER' : '--state' }
  const encoding: EncoderOptions = { config, collection, isPayloadOnly }
  const openBudget = (state: RunState) =>
    budgetOf(target, state, { writer, findPrice, promptTokens: longestPromptOf(prompt, countTokens) })

  return {
    async run(onProgress, signal) {
      if (twin !== null) await prepareTwin(source, { collection, twin, mark: copyMarkIn(folder) }, signal)
      return withState(place, state =>
        withEncoder(encoding, state, async ({ warnings, ...encoder }) => {
          const own = { collection, writer, rules, ...encoder, state, budget: openBudget(state) }
          const dependencies = { ...own, ...(await openRules()) }
          const result = await (twin === null
            ? contextualize(dependencies, onProgress, signal)
            : contextualizeInto(source, { collection, twin }, dependencies, { alias, onProgress, signal }))
          return { ...result, warnings }
        }),
      )
    },
    estimate: async () => ({
      ...(await estimate(
        { collection: source, writer, rules, ...(await openRules()) },
        { prompt, shortestCached: shortestCachedOf(context), countTokens },
      )),
      model: writer.model,
      endpoint: writer.endpoint,
    }),
    sample: (count, seed, signal) =>
      withState(place, async state => {
        const own = { collection: source, writer, rules, state, budget: openBudget(state) }
        return sampleContexts({ ...own, ...(await openRules()) }, { count, seed }, signal)
      }),
    rollBack: (onProgress, signal) =>
      withState({ ...place, isRollback: true }, state =>
        withEncoder({ ...encoding, isRollback: true }, state, async ({ embedder, encoding, warnings }) => {
          // The states that servers have written.
          const online = openOnlineStates(folder, lockFolder)
          const { lost, result } = await closing(online, true, async () => {
            const journals = [...online, state].map(({ former }) => former)
            const former = allFormer(journals)
            return {
              lost: journals.every(({ size }) => size === 0),
              result: await rollBack({ collection, embedder, encoding, former }, onProgress, signal),
            }
          })
          const nothing = lost ? ['there are no former vectors in the state folder'] : []
          return { ...result, warnings: [...nothing, ...warnings] }
        }),
      ),
    status: async () => ({ ...(await coverageOf(collection)), spending: spendingIn(folder) }),
    dollars: spending => dollarsOf(spending, findPrice),
  }
}

interface StatePlace {
  folder: string
  /** What names the folder, for faults. */
  named: 'CONTEXT_STATE_FOLDER' | '--state'
  /** Whether the work brings the former vectors back, so that they are forgotten when it is done. */
  isRollback?: boolean
}

/** Runs work with the state of a collection. @throws ConfigError when the folder cannot be used */
async function withState<Result>(
  { folder, named, isRollback = false }: StatePlace,
  work: (state: RunState) => Promise<Result>,
): Promise<Result> {
  const state = openOwnState(folder, named)
  return closing([state], isRollback, () => work(state))
}

/** Runs work and closes the states after it. The former vectors of a rollback are forgotten when it is done. */
async function closing<Result>(
  states: readonly RunState[],
  isRollback: boolean,
  work: () => Promise<Result>,
): Promise<Result> {
  let rolledBack = false
  try {
    const result = await work()
    rolledBack = isRollback
    return result
  } finally {
    for (const state of states) state.close({ rolledBack })
  }
}

function openOwnState(folder: string, named: StatePlace['named']): RunState {
  try {
    return openState(folder, lockState)
  } catch (error) {
    throw diskFault(named, folder, error)
  }
}

interface EncoderOptions {
  config: Config
  collection: LiveCollection
  isPayloadOnly: boolean
  /** Without an encoder, a rollback still brings former vectors back. */
  isRollback?: boolean
}

type Encoder = Awaited<ReturnType<typeof openEncoder>>

/** Runs work with the encoder of a collection. */
async function withEncoder<Result>(
  options: EncoderOptions,
  state: RunState,
  work: (encoder: Encoder) => Promise<Result>,
): Promise<Result> {
  const encoder = await openEncoder(options, state)
  try {
    return await work(encoder)
  } finally {
    await encoder.embedder?.close()
  }
}

async function openEncoder(
  { config, collection, isPayloadOnly, isRollback = false }: EncoderOptions,
  { former }: RunState,
) {
  if (isPayloadOnly)
    return { embedder: null, encoding: null, warnings: ['vectors do not see the contexts (--only-payload)'] }
  const { embedder, unavailable } = await openIngestEmbedder(config)
  try {
    return { embedder, ...(await recogniseEncoding(collection, embedder, former, unavailable)) }
  } catch (error) {
    if (isRollback && error instanceof StowageError && error.code === 'unprocessable')
      return { embedder, encoding: null, warnings: [error.message] }
    await embedder?.close()
    throw error
  }
}

interface Spender {
  writer: ContextWriter
  findPrice: FindPrice
  /** Tokens of the longest prompt for a request. */
  promptTokens: (request: ContextRequest) => number
}

/** The limit of `--budget-usd`; null without one. @throws StowageError `bad_request` when a price is not known */
function budgetOf(
  { budgetUsd, context }: ContextualizeTarget,
  state: RunState,
  { writer, findPrice, promptTokens }: Spender,
): Budget | null {
  if (budgetUsd === undefined || writer.endpoint === null) return null
  const price = findPrice(writer)
  if (price === undefined) throw unpriced(writer.model)
  const spent = () => {
    const dollars = dollarsOf(state.contexts.spending, findPrice)
    if (dollars === null) throw unpriced('a model of an earlier run')
    return dollars
  }
  return createBudget(budgetUsd, spent, worstCaseOf(price, promptTokens, mostOutputOf(context)))
}

/** @throws StowageError `too_many_requests` that names the process which works with the folder */
function lockState(folder: string): () => void {
  try {
    return lockFolder(folder)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause) throw cause
    throw new StowageError('too_many_requests', messageOf(cause), { cause })
  }
}

function unpriced(model: string): StowageError {
  return badRequest(
    `the price of ${model} is not known, so --budget-usd cannot be kept; give it with CONTEXT_PRICES_FILE`,
  )
}
