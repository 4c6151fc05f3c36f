import { openLiveCollection } from '../../adapters/contextualize/live-collection.ts'
import type { RequestsOptions } from '../../adapters/contextualize/requests.ts'
import type { Config } from '../../config.ts'
import type { Spending } from '../../contextualize/state/spending.ts'
import type { Reindexing, ReindexRequest } from '../../mcp/jobs/reindexing.ts'
import type { QdrantHttp } from '../../qdrant/client.ts'
import { environmentOf } from '../contexts/contextualize.ts'

/** Reindexing as `stowage contextualize` does it, with the same state folder, on the server of the gateway. */
export function openReindexing({ config, http }: { config: Config; http: QdrantHttp }): Reindexing {
  const timeoutMs = config.settings.REQUEST_DEADLINE_MS
  const open = (
    { collection, writer, budgetUsd, apiKey }: ReindexRequest,
    requests: Pick<RequestsOptions, 'signal' | 'timeoutMs'>,
  ) => {
    const budget = budgetUsd === null ? {} : { budgetUsd }
    const target = { collection, context: writer, onlyPayload: false, ...budget }
    return environmentOf(config, target, { http, apiKey, ...requests })
  }
  return {
    async nameOf({ collection, apiKey }, signal) {
      const live = openLiveCollection({ http, apiKey, collection, signal, timeoutMs })
      // An unknown collection is an error now, not the end of a job.
      const [names] = await Promise.all([live.names(), live.layout()])
      return names.sort()[0] ?? collection
    },
    async estimate(request, signal) {
      const environment = await open(request, { signal, timeoutMs })
      const estimate = await environment.estimate()
      const { usage, model, endpoint } = estimate
      const asked: Spending = { [model]: { endpoint, contexts: 0, fallbacks: 0, calls: 0, usage } }
      return { ...estimate, dollars: environment.dollars(asked) }
    },
    // Its signal ends requests too: what the state holds is whole at all times, and a write that was broken off is repeated by the next run.
    async run(request, onProgress, signal) {
      const environment = await open(request, { signal })
      const report = ({ done, total, spending }: { done: number; total: number; spending: Spending }) =>
        onProgress({ done, total, dollars: environment.dollars(spending) })
      const result = await environment.run(report, signal)
      return { ...result, dollars: environment.dollars(result.spending) }
    },
  }
}
