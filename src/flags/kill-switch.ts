import { unknownName } from '../core/schema-faults.ts'
import { EXPERIMENT, IMPROVE, kindOf, PREFIX, SHADOW, SWITCHES } from './table.ts'

const ALL = 'all'

/** The key of a flag, given with or without its prefix. */
export function fullKey(name: string): string {
  return name.startsWith(PREFIX) ? name : `${PREFIX}${name}`
}

/**
 * Reads the value of `STOWAGE_FLAGS_OFF`: keys between commas, with or without prefix; `all` is the whole.
 * @returns the keys that are off, and one sentence for each name that is no flag
 */
export function readKillSwitch(text: string): { off: ReadonlySet<string>; faults: string[] } {
  const off = new Set<string>()
  const faults: string[] = []
  for (const name of text.split(',').map(part => part.trim())) {
    if (name === '') continue
    const key = name === ALL ? IMPROVE : fullKey(name)
    if (kindOf(key) === null) faults.push(unknownName(name, 'flag', namesLike(name)))
    else off.add(key)
  }
  return { off, faults }
}

/** The known names, with the prefix where the wrong name has it. */
export function namesLike(name: string): string[] {
  const keys = [...SWITCHES.map(({ key }) => key), `${EXPERIMENT}NAME`, `${SHADOW}NAME`]
  return name.startsWith(PREFIX) ? keys : [ALL, ...keys.map(key => key.slice(PREFIX.length))]
}
