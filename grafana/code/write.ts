import { writeFileSync } from 'node:fs'
import { dashboardFiles } from './dashboards.ts'

/** `npm run dashboards`: writes what Grafana reads. */
for (const [name, json] of Object.entries(dashboardFiles())) {
  writeFileSync(new URL(`../dashboards/${name}`, import.meta.url), json)
  process.stdout.write(`grafana/dashboards/${name}: written\n`)
}
