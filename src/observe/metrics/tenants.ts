import type { Registry } from 'prom-client'
import { REQUEST_SECONDS } from './buckets.ts'
import { declareIn } from './declare.ts'
import { OUTCOMES } from './requests.ts'

/** The limits of a tenant that can refuse a request. */
const TENANT_LIMITS = ['rate', 'concurrency'] as const
export type TenantLimit = (typeof TENANT_LIMITS)[number]

/** Statuses with which the guard refuses requests of tenants. */
const REFUSAL_STATUSES = ['400', '403', '404', '422']

/** Metrics of tenants. Their series appear when tenants are declared, so there are none in open mode. */
export function createTenantMetrics(registry: Registry) {
  const { counter, gauge, histogram } = declareIn(registry)
  const ofTenant = { tenant: [] }
  const metrics = {
    tenantRequests: counter({
      name: 'stowage_tenant_requests_total',
      help: 'Requests by tenant and outcome',
      labels: { tenant: [], outcome: [] },
    }),
    tenantSeconds: histogram({
      name: 'stowage_tenant_request_seconds',
      help: 'Time of requests for contexts and of improved searches by tenant, in seconds',
      labels: ofTenant,
      buckets: REQUEST_SECONDS,
    }),
    tenantContextTokens: counter({
      name: 'stowage_tenant_context_tokens_total',
      help: 'Tokens of packed contexts by tenant',
      labels: ofTenant,
    }),
    tenantBudgetTokens: counter({
      name: 'stowage_tenant_context_budget_tokens_total',
      help: 'Token budgets of packed contexts by tenant',
      labels: ofTenant,
    }),
    tenantDegraded: counter({
      name: 'stowage_tenant_degraded_total',
      help: 'Contexts and improved searches with at least one degradation by tenant',
      labels: ofTenant,
    }),
    tenantLimited: counter({
      name: 'stowage_tenant_limited_total',
      help: 'Requests that a limit of their tenant refused with 429',
      labels: { tenant: [], limit: [] },
    }),
    guardRefusals: counter({
      name: 'stowage_guard_refusals_total',
      help: 'Requests of tenants that were refused because they do not keep to what is theirs, by status',
      labels: { status: REFUSAL_STATUSES },
    }),
    tenantsReloads: counter({
      name: 'stowage_tenants_reloads_total',
      help: 'Changes of the file of tenants, by whether they replaced the tenants or were refused',
      labels: { outcome: ['replaced', 'refused'] },
    }),
    tenantsFileRefused: gauge({
      name: 'stowage_tenants_file_refused',
      help: '1 while the file of tenants has faults, so that the tenants of before are used, else 0',
    }),
  }
  const plain = [metrics.tenantContextTokens, metrics.tenantBudgetTokens, metrics.tenantDegraded]
  return {
    ...metrics,
    /** Makes the series of a tenant, with 0. */
    addTenant(tenant: string): void {
      metrics.tenantSeconds.zero({ tenant })
      for (const counter of plain) counter.inc({ tenant }, 0)
      for (const outcome of OUTCOMES) metrics.tenantRequests.inc({ tenant, outcome }, 0)
      for (const limit of TENANT_LIMITS) metrics.tenantLimited.inc({ tenant, limit }, 0)
    },
    removeTenant(tenant: string): void {
      metrics.tenantSeconds.remove({ tenant })
      for (const counter of plain) counter.remove({ tenant })
      for (const outcome of OUTCOMES) metrics.tenantRequests.remove({ tenant, outcome })
      for (const limit of TENANT_LIMITS) metrics.tenantLimited.remove({ tenant, limit })
    },
  }
}
