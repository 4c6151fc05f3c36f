import { createHash } from 'node:crypto'

/** What a file means, as it was when the file was last right. */
export interface Reloaded<Value> {
  readonly current: Value
  /** Why the file as it is now is not used; null when it is. */
  readonly refusal: readonly string[] | null
  /** Reads the file now. Resolves when the value is replaced, or the file is refused. Never rejects. */
  reload(): Promise<void>
  /** Ends looking for changes. */
  close(): void
}

/** What the bytes of a file mean, or every fault of it. */
export type ReadFile<Value> = { value: Value; faults: null } | { value: null; faults: readonly string[] }

export interface ReloadOptions<Value> {
  /** What the file means at the start, and the bytes that it was read from. */
  start: { value: Value; bytes: Uint8Array }
  readBytes: () => Promise<Uint8Array>
  read: (bytes: Uint8Array) => ReadFile<Value>
  /** Called for each change of the file, after the value was replaced; `faults` is null when it was. */
  onChange(change: { value: Value; faults: readonly string[] | null }): void
  /** Runs a function after some time, and returns how to stop it. Default: a timer that does not keep the process alive. */
  startTimer?: (milliseconds: number, run: () => void) => () => void
  /** Milliseconds between two looks at the file. */
  everyMs?: number
}

const EVERY_MS = 2_000

/**
 * Keeps the content of a file current. A change replaces all of it at once. A file with faults, or one that cannot be read, changes
 * nothing. The file is compared by its content: its time says little where a symbolic link moves, as in a ConfigMap of Kubernetes. A
 * file that is written slowly could lack its end, for example a filter, and still be right: so two looks must find the same.
 */
export function keepReloading<Value>(options: ReloadOptions<Value>): Reloaded<Value> {
  const { start, readBytes, read, onChange, startTimer = quietTimer, everyMs = EVERY_MS } = options
  let current = start.value
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
    const now = bytes instanceof Error ? null : read(bytes)
    refusal = now === null ? [`cannot be read: ${found}`] : now.faults
    if (now?.faults === null) current = now.value
    onChange({ value: current, faults: refusal })
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
    get current() {
      return current
    },
    get refusal() {
      return refusal
    },
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
