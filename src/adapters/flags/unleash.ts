import { randomUUID } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { eitherSignal } from '../../core/either-signal.ts'
import { messageOf } from '../../core/errors.ts'
import { makeFolder } from '../../files/make-folder.ts'
import type { FlagProvider, FlagSet } from '../../flags/provider.ts'
import { readAtMost, readWhole } from '../read-at-most.ts'
import { isOurs, readFlagDocument } from './definitions.ts'
import { createEvaluator } from './evaluator.ts'

export interface UnleashOptions {
  /** Of the API, such as `http://unleash:4242/api`. */
  url: string
  token: string | null
  appName: string
  environment: string
  /** Milliseconds between two refreshes. */
  refreshMs: number
  /** Where the last answer is kept for the next start; null keeps it in memory only. */
  backupFile: string | null
  /** Longest time for one answer, in milliseconds; default 10 s. */
  answerMs?: number
  /** Longest wait for the first answer, in milliseconds; default 2 s. */
  waitMs?: number
  /**
   * Called after each answer, when the first one is late, and when the server ceases to answer or fails in another way. `error` is null
   * after an answer; `hasFlags`: whether an answer or a backup has given flags.
   */
  onRefresh(refresh: { error: string | null; hasFlags: boolean }): void
  /** Called when there are other flags than before, also by the backup. */
  onChange(): void
}

/** The definitions of a large installation are a few MiB. */
const MOST_BYTES = 64 * 1024 * 1024
/** The version of the client specification that unleash-client 6 implements. From 4.2 on, segments come beside the flags. */
const SPECIFICATION = '5.2.0'

/**
 * Flags of an Unleash server. Resolves after the first attempt, at the latest after `waitMs`, and never rejects: a server that does not
 * answer leaves the last known values. Every failure, also a refused token, is tried again at the next refresh.
 */
export async function openUnleash(options: UnleashOptions): Promise<FlagProvider> {
  const { url, token, appName, environment, refreshMs, backupFile, answerMs = 10_000, waitMs = 2_000 } = options
  const instanceId = randomUUID()
  const evaluator = createEvaluator({ appName, environment, usage: { url, token, instanceId } })
  const agent = new Agent()
  const closed = new AbortController()
  let current: FlagSet | null = null
  let etag: string | null = null
  let lastError: string | null = null
  /** Why the last answer is not in the backup file. */
  let unsaved: string[] = []

  /** @throws Error with the reason why there are no flags */
  function use(text: string): void {
    const { document, faults } = readFlagDocument(JSON.parse(text))
    if (document === null) throw new Error('the answer has no flags')
    const ours = faults.filter(({ flag }) => isOurs(flag)).map(({ fault }) => fault)
    current = evaluator.use(document, 'unleash', [...unsaved, ...ours])
    options.onChange()
  }

  async function fetchFlags(): Promise<void> {
    const { signal, dispose } = eitherSignal(closed.signal, AbortSignal.timeout(answerMs))
    try {
      const { statusCode, headers, body } = await request(`${url.replace(/\/+$/u, '')}/client/features`, {
        dispatcher: agent,
        signal,
        headers: {
          accept: 'application/json',
          'unleash-appname': appName,
          'unleash-instanceid': instanceId,
          'unleash-client-spec': SPECIFICATION,
          ...(token !== null && { authorization: token }),
          ...(etag !== null && { 'if-none-match': etag }),
        },
      })
      if (statusCode !== 200) {
        await body.dump()
        if (statusCode === 304) return
        throw new Error(`Unleash answers ${statusCode}`)
      }
      const text = (await readWhole(body, MOST_BYTES)).toString()
      use(text)
      const before = unsaved.join()
      unsaved = backupFile === null ? [] : await saveFaults(backupFile, text)
      if (unsaved.join() !== before) use(text)
      // What could not be saved is asked for again: an answer that nothing has changed would bring nothing to save.
      etag = typeof headers.etag === 'string' && unsaved.length === 0 ? headers.etag : null
    } finally {
      dispose()
    }
  }

  async function refresh(): Promise<void> {
    const error = await fetchFlags().then(
      () => null,
      (reason: unknown) => (reason instanceof Error ? reason.message || reason.name : String(reason)),
    )
    if (!closed.signal.aborted) tell(error)
  }

  function tell(error: string | null): void {
    if (error === null || error !== lastError) options.onRefresh({ error, hasFlags: current !== null })
    lastError = error
  }

  if (backupFile !== null) {
    // A missing or broken backup is no backup.
    await readAtMost(backupFile, MOST_BYTES)
      .then(bytes => use(Buffer.from(bytes).toString()))
      .catch(() => {})
  }
  const first = refresh()
  void first
    .then(async () => {
      for (;;) {
        await pause(refreshMs, null, { signal: closed.signal, ref: false })
        await refresh()
      }
    })
    .catch(() => {})
  const late = await Promise.race([first, pause(waitMs, true, { signal: closed.signal, ref: false })])
  // Who lists flags now must not take those of the plan for an answer of the server.
  if (late) tell(`no answer within ${waitMs} ms`)

  return {
    get current() {
      return current
    },
    async close() {
      closed.abort()
      evaluator.close()
      await agent.destroy().catch(() => {})
    },
  }
}

/** Why a text cannot be kept in a file. No reader sees a part of the file. Only its owner can read it. */
async function saveFaults(path: string, text: string): Promise<string[]> {
  const next = `${path}.${process.pid}.next`
  try {
    await makeFolder(dirname(path))
    await writeFile(next, text, { mode: 0o600 })
    await rename(next, path)
    return []
  } catch (error) {
    await rm(next, { force: true }).catch(() => {})
    return [`UNLEASH_BACKUP_FILE=${path}: cannot be written: ${messageOf(error)}`]
  }
}
