import { quietTimer, type StartTimer } from '../pipeline/deadline.ts'
import { sha256 } from '../text/fingerprint.ts'

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

/** The content of a file that was last right, as another process knows it. */
export interface AcceptedContent {
  /** Null when no process has read it yet. */
  readonly bytes: Uint8Array | null
  /** Called with each content that is right. */
  keep(bytes: Uint8Array): void
}

export interface ReloadOptions<Value> {
  /** What the file means at the start, and the bytes that it was read from. */
  start: { value: Value; bytes: Uint8Array }
  readBytes: () => Promise<Uint8Array>
  read: (bytes: Uint8Array) => ReadFile<Value>
  /** Called for each change of the file, after the value was replaced; `faults` is null when it was. */
  onChange(change: { value: Value; faults: readonly string[] | null }): void
  /** Default: nobody keeps it. */
  accepted?: AcceptedContent | null
  /** Runs a function after some time, and returns how to stop it. Default: a timer that does not keep the process alive. */
  startTimer?: StartTimer
}

/** Milliseconds between two looks at the file. */
const EVERY_MS = 2_000

/**
 * Reads a file, and keeps its content current. A process that replaces another one begins with the content that was last right, and takes
 * the file as a later version of it: a file that was refused since must not keep the process from starting.
 * @returns the faults of a file that cannot be used
 */
export async function openReloading<Value>(
  options: Omit<ReloadOptions<Value>, 'start'>,
): Promise<Reloaded<Value> | { faults: readonly string[] }> {
  const { accepted, readBytes, read } = options
  const known = accepted?.bytes ?? null
  const bytes = known ?? (await readBytes().catch((error: Error) => error))
  if (bytes instanceof Error) return { faults: [`cannot be read: ${bytes.message}`] }
  const { value, faults } = read(bytes)
  if (faults !== null) return { faults }
  if (known === null) accepted?.keep(bytes)
  return keepReloading({ ...options, start: { value, bytes } })
}

/**
 * Keeps the content of a file current. A change replaces all of it at once. A file with faults, or one that cannot be read, changes
 * nothing. The file is compared by its content: its time says little where a symbolic link moves, as in a ConfigMap of Kubernetes. A
 * file that is written slowly could lack its end, for example a filter, and still be right: so two looks must find the same.
 */
export function keepReloading<Value>(options: ReloadOptions<Value>): Reloaded<Value> {
  const { start, readBytes, read, onChange, accepted, startTimer = quietTimer } = options
  let current = start.value
  let refusal: readonly string[] | null = null
  /** What is in use or refused: a digest of the content, or the text of a failure to read it. */
  let seen = sha256(start.bytes)
  /** What the last look found, if it is something new. */
  let arriving: string | null = null
  let closed = false
  let stopTimer = () => {}
  let reading: Promise<void> = Promise.resolve()

  /** @returns the faults that keep the content from being used */
  function use(bytes: Uint8Array): readonly string[] | null {
    const { value, faults } = read(bytes)
    if (faults !== null) return faults
    current = value
    accepted?.keep(bytes)
    return null
  }

  /** @param complete whether the file is known to be complete. Otherwise a change is taken at the second look that finds it. */
  async function look(complete: boolean): Promise<void> {
    const bytes = await readBytes().catch((error: unknown) =>
      error instanceof Error ? error : new Error(String(error)),
    )
    if (closed) return
    const found = bytes instanceof Error ? bytes.message : sha256(bytes)
    const isComplete = complete || found === arriving
    arriving = found === seen || isComplete ? null : found
    if (found === seen || !isComplete) return
    seen = found
    refusal = bytes instanceof Error ? [`cannot be read: ${found}`] : use(bytes)
    onChange({ value: current, faults: refusal })
  }

  /** One look at a time, in the order in which they were asked for: an older content never replaces a newer one. */
  function lookNext(complete: boolean): Promise<void> {
    reading = reading.then(() => look(complete))
    return reading
  }

  function lookLater(): void {
    if (closed) return
    stopTimer = startTimer(EVERY_MS, () => void lookNext(false).finally(lookLater))
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
