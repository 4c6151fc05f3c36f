import { useEffect, useState } from 'preact/hooks'

export type Loaded<Value> =
  | { state: 'reading' }
  | { state: 'missing' }
  | { state: 'there'; value: Value }
  | { state: 'failed' }

/** Reads a part of the file when it is wanted. @param part null when it is not in the file */
export function usePart<Value>(part: number | null, read: (part: number) => Promise<Value>): Loaded<Value> {
  const [loaded, setLoaded] = useState<{ part: number | null; result: Loaded<Value> } | null>(null)
  useEffect(() => {
    let wanted = true
    const set = (result: Loaded<Value>) => {
      if (wanted) setLoaded({ part, result })
    }
    if (part !== null)
      read(part).then(
        value => set({ state: 'there', value }),
        () => set({ state: 'failed' }),
      )
    return () => {
      wanted = false
    }
  }, [part, read])
  if (part === null) return { state: 'missing' }
  return loaded?.part === part ? loaded.result : { state: 'reading' }
}
