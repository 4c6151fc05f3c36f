import { StowageError } from '../../../core/errors.ts'
import type { GoldenQuery, GoldenSet } from '../../golden-set/golden-set.ts'
import type { ReplayRun } from '../../metrics/measure-run.ts'
import type { PreparedSet, ReplayDependencies } from '../../replay/replay.ts'
import type { PlanArm, ServerArm } from '../arm.ts'
import { rankedCandidates, runOfAnswer } from './answer.ts'
import { createStowageClient, type StowageClient } from './client.ts'
import { checkCorpus } from './corpus-check.ts'
import type { KeyOf } from './keys.ts'

interface ServerArmOptions {
  keyOf: KeyOf
  /** Longest time for one answer in milliseconds; default one minute. */
  timeoutMs?: number
}

/**
 * Lets a replay ask running servers beside the plans of this process. A set is ingested here only when an arm needs it. A server is asked
 * as it is, with its own plan, deadline and models; it must hold the documents of the set already.
 * @throws from `prepare` and `run`: StowageError with the reason when a server fails. Nothing is skipped, because arms are compared by query.
 */
export function withServerArms(
  here: ReplayDependencies<PlanArm>,
  { keyOf, timeoutMs }: ServerArmOptions,
): ReplayDependencies {
  return {
    ...here,
    prepare: async (set, job) => {
      const servers = job.arms.filter(arm => arm.kind === 'server')
      if (servers.length === 0) return here.prepare(set, job)
      const clients = new Map(servers.map(({ name, url }) => [name, createStowageClient({ url, keyOf, timeoutMs })]))
      const closeClients = async () => {
        await Promise.all([...clients.values()].map(client => client.close()))
      }
      try {
        for (const arm of servers)
          await checkCorpus(set, collectionOf(arm, set), question => clientOf(clients, arm).ask(question)).catch(
            error => Promise.reject(ofArm(arm, error)),
          )
        const prepared = servers.length === job.arms.length ? NOTHING_HERE : await here.prepare(set, job)
        return {
          ...prepared,
          run: (query, arm, budgets) =>
            arm.kind === 'plan'
              ? prepared.run(query, arm, budgets)
              : runOn(clientOf(clients, arm), { query, collection: collectionOf(arm, set) }, budgets),
          close: async () => {
            await closeClients()
            await prepared.close()
          },
        }
      } catch (error) {
        await closeClients()
        throw error
      }
    },
  }
}

/** In the place of a set that no arm needs in this process. */
const NOTHING_HERE: PreparedSet<PlanArm> = {
  chunks: 0,
  embedder: null,
  run: () => Promise.reject(new TypeError('no arm runs in this process')),
  close: async () => {},
}

async function runOn(
  client: StowageClient,
  { query: { query, tenant, filter }, collection }: { query: GoldenQuery; collection: string },
  budgets: readonly number[],
): Promise<ReplayRun[]> {
  const runs: ReplayRun[] = []
  for (const budgetTokens of budgets) {
    const { answer, ms } = await client.ask({ query, collection, tenant, filter, budgetTokens })
    const ranked = rankedCandidates(answer)
    runs.push(runOfAnswer(answer, ms, ranked && (await client.textsOf(ranked, tenant))))
  }
  return runs
}

function collectionOf({ collection }: ServerArm, { name }: GoldenSet): string {
  return collection ?? name
}

function clientOf(clients: ReadonlyMap<string, StowageClient>, { name }: ServerArm): StowageClient {
  const client = clients.get(name)
  if (client === undefined) throw new RangeError(`the arm ${name} is not part of this replay`)
  return client
}

function ofArm({ name }: ServerArm, error: unknown): StowageError {
  const { code, message } = error instanceof StowageError ? error : new StowageError('internal', String(error))
  return new StowageError(code, `arm ${name}: ${message}`)
}
