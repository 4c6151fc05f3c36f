import { createHash } from 'node:crypto'
import type { TenantsFile } from './file/read.ts'
import type { TenantDirectory } from './tenant.ts'

/** A file of tenants that is read again when it changes. */
export interface ReloadedTenants extends TenantDirectory {
  /** Reads the file now. Resolves when the tenants are replaced, or the file is refused. Never rejects. */
  reload(): Promise<void>
  /** Why the file as it is now is not used; null when it is. */
  readonly refusal: readonly string[] | null
  /** Ends looking for changes. */
  close(): void
}

export interface ReloadOptions {
  /** The tenants of the start, and the bytes that they were read from. */
  start: { directory: TenantDirectory; bytes: Uint8Array }
  readBytes: () => Promise<Uint8Array>
  readTenants: (bytes: Uint8Array) => TenantsFile
  /** Called for each change of the file, after the tenants were replaced; `faults` is null when they were. */
  onChange(change: { directory: TenantDirectory; faults: readonly string[] | null }): void
  /** Runs a function after some time, and returns how to stop it. Default: a timer that does not keep the process alive. */
  startTimer?: (milliseconds: number, run: () => void) => () => void
  /** Milliseconds between two looks at the file. */
  everyMs?: number
}

const EVERY_MS = 2_000

/**
 * Keeps the tenants of a file current. A change replaces all of them at once. A file with faults, or one that cannot be read, changes
 * nothing. The file is compared by its content: its time says little where a symbolic link moves, as in a ConfigMap of Kubernetes. A
 * file that is written slowly could lack its end, for example a filter, and still be right: so two looks must find the same.
 */
export function keepReloading(options: ReloadOptions): ReloadedTenants {
  const { start, readBytes, readTenants, onChange, startTimer = quietTimer, everyMs = EVERY_MS } = options
  let directory = start.directory
  let refusal: readonly string[] | null = null
  /** What is in use or refused: a digest of the content, or the text of a failure to read it. */
  let seen = digestOf(start.bytes)
  /** What the last look found, if it is something new. */
  let arriving: string | null = null
  let closed = false
  let stopTimer = () => {}
  let reading: Promise<void> = Promise.resolve()

  /** @param complete whether the file is known to be complete. Otherwise a change is taken at the second look that finds it. */
  async function look(complete: boolean): Promise<void> {
    const bytes = await readBytes().catch((error: unknown) =>
      error instanceof Error ? error : new Error(String(error)),
    )
    if (closed) return
    const found = bytes instanceof Error ? bytes.message : digestOf(bytes)
    const isComplete = complete || found === arriving
    arriving = found === seen || isComplete ? null : found
    if (found === seen || !isComplete) return
    seen = found
    const read = bytes instanceof Error ? null : readTenants(bytes)
    refusal = read === null ? [`cannot be read: ${found}`] : read.faults
    if (read?.directory) directory = read.directory
    onChange({ directory, faults: refusal })
  }

  /** One look at a time, in the order in which they were asked for: an older content never replaces a newer one. */
  function lookNext(complete: boolean): Promise<void> {
    reading = reading.then(() => look(complete))
    return reading
  }

  function lookLater(): void {
    if (closed) return
    stopTimer = startTimer(everyMs, () => void lookNext(false).finally(lookLater))
  }
  lookLater()

  return {
    get tenants() {
      return directory.tenants
    },
    get operators() {
      return directory.operators
    },
    get refusal() {
      return refusal
    },
    find: apiKey => directory.find(apiKey),
    isOperator: apiKey => directory.isOperator(apiKey),
    reload: () => lookNext(true),
    close() {
      closed = true
      stopTimer()
    },
  }
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function quietTimer(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds)
  timer.unref()
  return () => clearTimeout(timer)
}
