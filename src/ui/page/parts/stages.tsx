import { STAGES } from '../../../core/vocabulary.ts'
import { time } from '../model/figures.ts'
import type { Run } from '../model/run.ts'

/** The stages of a run as bars on the time of the whole run. */
export function Stages({ run }: { run: Run }) {
  const { stages, duration_ms } = run.trace
  const whole = Math.max(duration_ms, ...stages.map(({ start_ms, ms }) => start_ms + ms), 0.001)
  const share = (ms: number) => `${(100 * ms) / whole}%`
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <section class="scroll" aria-label={`Stages of ${run.title}`} tabIndex={0}>
      <table class="stage-table">
        <caption>
          {run.title}: {time(duration_ms)}
        </caption>
        <thead>
          <tr>
            <th scope="col">Stage</th>
            <th scope="col" class="number">
              Time
            </th>
            <th scope="col" class="number">
              In → out
            </th>
            <th scope="col" class="span-head">
              From start to end
            </th>
          </tr>
        </thead>
        <tbody>
          {stages.map(({ name, start_ms, ms, in: before, out, changed }) => (
            <tr key={`${name} ${start_ms}`}>
              <th scope="row">
                <span title={STAGES[name]}>{name}</span>
                {!changed && <small>no change</small>}
              </th>
              <td class="number">{time(ms)}</td>
              <td class="number">
                {before} → {out}
              </td>
              <td>
                <div class="span" aria-hidden="true">
                  <span style={{ marginLeft: share(start_ms), width: share(ms) }} />
                </div>
                <span class="hidden">
                  from {time(start_ms)} to {time(start_ms + ms)}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
