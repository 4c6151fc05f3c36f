import { openLiveCollection } from '../../adapters/contextualize/live-collection.ts'
import { openQdrantTwin } from '../../adapters/contextualize/qdrant-twin.ts'
import type { RequestsOptions } from '../../adapters/contextualize/requests.ts'
import type {
  ContextualizeCommandDependencies,
  ContextualizeEnvironment,
  ContextualizeTarget,
} from '../../commands/contextualize.ts'
import { type Config, diskFault, loadConfig } from '../../config.ts'
import { onlyPayload } from '../../contexts/context-stamp.ts'
import { createPromptBuilder, longestPromptOf } from '../../contexts/prompt/prompt.ts'
import { createRulesWriter } from '../../contexts/rules/rules-writer.ts'
import { contextualize } from '../../contextualize/contextualize.ts'
import { recogniseEncoding } from '../../contextualize/encoding/recognise.ts'
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
import { messageOf, StowageError } from '../../core/errors.ts'
import { openTogether } from '../../core/work/opened.ts'
import { lockFolder } from '../../files/folder-lock.ts'
import { createQdrantHttp } from '../../qdrant/client.ts'
import { endpointAllowed } from '../../tenants/context-endpoints.ts'
import { createTokenizer } from '../../text/tokens.ts'
import { openIngestEmbedder } from '../ingest.ts'
import { readTenants } from '../tenants.ts'
import { openUpstream } from '../upstream.ts'
import { mostOutputOf, openContextWriter, openPrice, openPrompt, shortestCachedOf } from './open-writer.ts'

/** For `stowage contextualize`. Models and the state are opened by the modes that need them. */
export const openContextualize: ContextualizeCommandDependencies['open'] = target =>
  openTogether(async opened => {
    const config = loadConfig()
    const { url, apiKey } = target
    const upstream = opened.keep(await openUpstream(config, { ...(url && { url }), ...(apiKey && { apiKey }) }))
    const http = opened.keep(createQdrantHttp(upstream.url))
    const environment = await environmentOf(config, target, { http, apiKey: upstream.apiKey })
    return { ...environment, place: upstream.url, close: opened.close }
  })

/** @param server whose points get contexts; it stays open */
export async function environmentOf(
  config: Config,
  {
    collection: sourceName,
    into,
    alias,
    context,
    state: stateFolder,
    budgetUsd,
    onlyPayload: isPayloadOnly,
  }: ContextualizeTarget,
  server: RequestsOptions,
): Promise<Omit<ContextualizeEnvironment, 'place' | 'close'>> {
  const { count: countTokens } = createTokenizer(config.plan.tokenizerModel)
  const mapping = config.settings.MAPPINGS?.[sourceName]
  const source = openLiveCollection({ ...server, collection: sourceName, mapping })
  const name = into ?? sourceName
  const collection = into === undefined ? source : openLiveCollection({ ...server, collection: into, mapping })
  const twin = into === undefined ? null : openQdrantTwin({ ...server, source: sourceName, twin: into })
  const written = openContextWriter(config, context, countTokens)
  const writer = isPayloadOnly ? { ...written, version: onlyPayload(written.version) } : written
  const prompt = context === 'rules' ? createPromptBuilder({ countTokens }) : openPrompt(config, countTokens)
  const findPrice: FindPrice = asked => openPrice(config, { ...writer, ...asked })
  const rules = createRulesWriter({ countTokens })
  const tenants = (await readTenants(config))?.tenants ?? null
  const openRules = () => openTenantRules(source, tenants, tenant => endpointAllowed(tenant, writer.endpoint))
  const folder = stateFolder ?? stateFolderOf(name, config.settings.CONTEXT_STATE_FOLDER)

  const openOwnState = () => {
    try {
      return openState(folder, lockState)
    } catch (error) {
      throw diskFault(stateFolder === undefined ? 'CONTEXT_STATE_FOLDER' : '--state', folder, error)
    }
  }

  /** Runs work with the state and the encoder of the collection. */
  async function withState<Result>(
    work: (state: RunState, opened: Awaited<ReturnType<typeof openEncoder>>) => Promise<Result>,
    isRollback = false,
  ): Promise<Result> {
    const state = openOwnState()
    let rolledBack = false
    try {
      const opened = await openEncoder(isRollback, state)
      try {
        const result = await work(state, opened)
        rolledBack = isRollback
        return result
      } finally {
        await opened.embedder?.close()
      }
    } finally {
      state.close({ rolledBack })
    }
  }

  /** Without an encoder, a rollback still brings former vectors back. */
  async function openEncoder(isRollback: boolean, { former }: RunState) {
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

  function openBudget(state: RunState): Budget | null {
    if (budgetUsd === undefined || writer.endpoint === null) return null
    const price = findPrice(writer)
    if (price === undefined) throw unpriced(writer.model)
    const spent = () => {
      const dollars = dollarsOf(state.contexts.spending, findPrice)
      if (dollars === null) throw unpriced('a model of an earlier run')
      return dollars
    }
    return createBudget(
      budgetUsd,
      spent,
      worstCaseOf(price, longestPromptOf(prompt, countTokens), mostOutputOf(context)),
    )
  }

  return {
    async run(onProgress, signal) {
      if (twin !== null) await prepareTwin(source, { collection, twin, mark: copyMarkIn(folder) }, signal)
      return withState(async (state, { warnings, ...encoder }) => {
        const own = { collection, writer, rules, ...encoder, state, budget: openBudget(state) }
        const dependencies = { ...own, ...(await openRules()) }
        const progress = { alias: alias ?? null, onProgress, signal }
        const result = await (twin === null
          ? contextualize(dependencies, onProgress, signal)
          : contextualizeInto(source, { collection, twin }, dependencies, progress))
        return { ...result, warnings }
      })
    },
    estimate: async () => ({
      ...(await estimate(
        { collection: source, writer, rules, ...(await openRules()) },
        { prompt, shortestCached: shortestCachedOf(context), countTokens },
      )),
      model: writer.model,
      endpoint: writer.endpoint,
    }),
    async sample(count, seed, signal) {
      const state = openOwnState()
      try {
        const own = { collection: source, writer, rules, state, budget: openBudget(state) }
        return await sampleContexts({ ...own, ...(await openRules()) }, { count, seed }, signal)
      } finally {
        state.close()
      }
    },
    rollBack: (onProgress, signal) =>
      withState(async (state, { embedder, encoding, warnings }) => {
        const online = openOnlineStates(folder, lockFolder)
        let rolledBack = false
        try {
          const journals = [...online, state].map(({ former }) => former)
          const lost = journals.every(({ size }) => size === 0)
            ? ['there are no former vectors in the state folder']
            : []
          const former = allFormer(journals)
          const result = await rollBack({ collection, embedder, encoding, former }, onProgress, signal)
          rolledBack = true
          return { ...result, warnings: [...lost, ...warnings] }
        } finally {
          for (const opened of online) opened.close({ rolledBack })
        }
      }, true),
    status: async () => ({ ...(await coverageOf(collection)), spending: spendingIn(folder) }),
    dollars: spending => dollarsOf(spending, findPrice),
  }
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
  return new StowageError(
    'bad_request',
    `the price of ${model} is not known, so --budget-usd cannot be kept; give it with CONTEXT_PRICES_FILE`,
  )
}
