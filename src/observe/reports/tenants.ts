import type { Logger } from '../logger.ts'
import type { Metrics } from '../metrics.ts'
import type { TenantLabels } from '../tenant-labels.ts'

/** The reports about the tenants of the file. */
export interface TenantReports {
  /** The names of all tenants, at the start and after a change of their file. */
  tenantsDeclared(event: { names: ReadonlySet<string> }): void
  /** The file of tenants has changed. Faults: it is refused, and the tenants of before stay. */
  tenantsReloaded(event: { tenants: number; faults: readonly string[] | null }): void
}

export function createTenantReports(metrics: Metrics, logger: Logger, labels: TenantLabels): TenantReports {
  return {
    tenantsDeclared: ({ names }) => {
      const { added, gone } = labels.declare(names)
      for (const label of gone) metrics.removeTenant(label)
      for (const label of added) metrics.addTenant(label)
    },
    tenantsReloaded: ({ tenants, faults }) => {
      metrics.tenantsReloads.inc({ outcome: faults === null ? 'replaced' : 'refused' })
      metrics.tenantsFileRefused.set(faults === null ? 0 : 1)
      if (faults === null) logger.info({ tenants }, 'the tenants are replaced')
      else logger.error({ tenants, faults }, 'the file of tenants is refused; the tenants of before stay')
    },
  }
}
