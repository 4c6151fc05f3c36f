import { buildDashboard } from './dashboard.ts'
import { overview } from './overview.ts'
import { packing } from './packing.ts'
import { rollout } from './rollout.ts'

/** The files of `grafana/dashboards`, by name. */
export function dashboardFiles(): Record<string, string> {
  return Object.fromEntries(
    Object.entries({ overview, packing, rollout }).map(([name, definition]) => [
      `${name}.json`,
      `${JSON.stringify(buildDashboard(definition), null, 2)}\n`,
    ]),
  )
}
