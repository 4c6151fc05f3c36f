import { useEffect, useState } from 'preact/hooks'
import { readPart } from './data.ts'

export type Loaded<Value> =
  | { state: 'reading' }
  | { state: 'missing' }
  | { state: 'there'; value: Value }
  | { state: 'failed' }

/** Reads a part of the file when it is wanted. @param part null when it is not in the file */
export function usePart<Value>(part: number | null): Loaded<Value> {
  const [loaded, setLoaded] = useState<{ part: number | null; result: Loaded<Value> } | null>(null)
  useEffect(() => {
    let wanted = true
    const set = (result: Loaded<Value>) => {
      if (wanted) setLoaded({ part, result })
    }
    if (part !== null)
      readPart<Value>(part).then(
        value => set({ state: 'there', value }),
        () => set({ state: 'failed' }),
      )
    return () => {
      wanted = false
    }
  }, [part])
  if (part === null) return { state: 'missing' }
  return loaded?.part === part ? loaded.result : { state: 'reading' }
}
