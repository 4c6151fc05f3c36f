import type { Requested } from '../use-request.ts'

interface ProgressProps {
  requested: Requested<unknown>
  waiting: string
  /** What a screen reader is told at the end; null while there is none. */
  done: string | null
}

/** One line that always has its place, so that nothing jumps. It is read aloud when it changes. */
export function Progress({ requested, waiting, done }: ProgressProps) {
  const { state } = requested
  return (
    <>
      <p class="progress" role="status" data-state={state}>
        {state === 'waiting' && waiting}
        {state === 'cancelled' && 'Cancelled.'}
        {state === 'there' && done}
      </p>
      <div role="alert">
        {state === 'failed' && (
          <p class="notice">
            <code>{requested.refusal.code}</code> {requested.refusal.message}
            {requested.refusal.code === 'unauthorized' && ' Enter the key at the top of the page.'}
          </p>
        )}
      </div>
    </>
  )
}
