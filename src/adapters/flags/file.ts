import type { FlagProvider } from '../../flags/provider.ts'
import { formatOf, MOST_BYTES, parseFile } from '../../tenants/file/parse.ts'
import { readAtMost } from '../read-at-most.ts'
import { type AcceptedContent, openReloading, type ReadFile, type Reloaded } from '../reload.ts'
import { type FlagDocument, readFlagDocument } from './definitions.ts'
import { createEvaluator } from './evaluator.ts'

interface FlagsFileOptions {
  path: string
  appName: string
  environment: string
  /** Called for each change of the file; `faults` is null when the flags were replaced. */
  onChange(change: { faults: readonly string[] | null }): void
  accepted?: AcceptedContent | null
}

/** Flags of a file that is read again when it changes. */
export interface FlagsFile extends FlagProvider, Pick<Reloaded<unknown>, 'refusal' | 'reload'> {}

const MOST_FAULTS = 100

/** Reads the bytes of a flags file: what the client API of Unleash answers, in JSON or YAML. Never throws. */
export function readFlagsFile(bytes: Uint8Array, path: string): ReadFile<FlagDocument> {
  const { value, faults: malformed } = parseFile(bytes, formatOf(path))
  if (malformed.length > 0) return { value: null, faults: malformed }
  const { document, faults } = readFlagDocument(value)
  if (document !== null && faults.length === 0) return { value: document, faults: null }
  return { value: null, faults: faults.slice(0, MOST_FAULTS).map(({ fault }) => fault) }
}

/**
 * Opens a flags file.
 * @returns the faults of a file that cannot be used; a later version with faults leaves the flags as they are
 */
export async function openFlagsFile(options: FlagsFileOptions): Promise<FlagsFile | { faults: readonly string[] }> {
  const { path, appName, environment, accepted = null } = options
  const reloaded = await openReloading<FlagDocument>({
    readBytes: () => readAtMost(path, MOST_BYTES[formatOf(path)] + 1),
    read: bytes => readFlagsFile(bytes, path),
    onChange: ({ value, faults }) => {
      if (faults === null) current = evaluator.use(value, 'file', [])
      options.onChange({ faults })
    },
    accepted,
  })
  if ('faults' in reloaded) return reloaded
  const evaluator = createEvaluator({ appName, environment, usage: null })
  let current = evaluator.use(reloaded.current, 'file', [])
  return {
    get current() {
      return current
    },
    get refusal() {
      return reloaded.refusal
    },
    reload: () => reloaded.reload(),
    close: async () => {
      reloaded.close()
      evaluator.close()
    },
  }
}
