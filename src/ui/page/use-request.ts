import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { messageOf } from '../../core/errors.ts'
import { Refusal } from './api.ts'

export type Requested<Value> =
  | { state: 'none' }
  | { state: 'waiting' }
  | { state: 'cancelled' }
  | { state: 'there'; value: Value }
  | { state: 'failed'; refusal: Refusal }

interface Request<Value> {
  requested: Requested<Value>
  /** Begins a request; one that still runs is given up. */
  start(work: (signal: AbortSignal) => Promise<Value>): void
  cancel(): void
}

/** One request at a time. Escape cancels it, and it ends with the part of the page that began it. */
export function useRequest<Value>(): Request<Value> {
  const [requested, setRequested] = useState<Requested<Value>>({ state: 'none' })
  const running = useRef<AbortController | null>(null)
  const start = useCallback((work: (signal: AbortSignal) => Promise<Value>) => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    const settle = (next: Requested<Value>) => {
      if (running.current === controller) setRequested(next)
    }
    setRequested({ state: 'waiting' })
    work(controller.signal).then(
      value => settle({ state: 'there', value }),
      error =>
        settle(controller.signal.aborted ? { state: 'cancelled' } : { state: 'failed', refusal: refusalOf(error) }),
    )
  }, [])
  const cancel = useCallback(() => running.current?.abort(), [])
  useEffect(() => {
    if (requested.state !== 'waiting') return
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') cancel()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [requested.state, cancel])
  useEffect(() => cancel, [cancel])
  return { requested, start, cancel }
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  return new Refusal('unexpected', messageOf(error))
}
