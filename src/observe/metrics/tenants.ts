import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { REQUEST_SECONDS } from './buckets.ts'
import { OUTCOMES } from './requests.ts'

/** The limits of a tenant that can refuse a request. */
export const TENANT_LIMITS = ['rate', 'concurrency'] as const
export type TenantLimit = (typeof TENANT_LIMITS)[number]

/** Statuses with which the guard refuses requests of tenants. */
const REFUSAL_STATUSES = [400, 403, 404, 422] as const

/** Metrics of tenants. Their series appear when tenants are declared, so there are none in open mode. */
export function createTenantMetrics(registry: Registry) {
  const registers = [registry]
  const ofTenant = ['tenant'] as const
  const metrics = {
    tenantRequests: new Counter({
      name: 'stowage_tenant_requests_total',
      help: 'Requests by tenant and outcome',
      labelNames: [...ofTenant, 'outcome'],
      registers,
    }),
    tenantSeconds: new Histogram({
      name: 'stowage_tenant_request_seconds',
      help: 'Time of requests for contexts and of improved searches by tenant, in seconds',
      labelNames: ofTenant,
      buckets: REQUEST_SECONDS,
      registers,
    }),
    tenantContextTokens: new Counter({
      name: 'stowage_tenant_context_tokens_total',
      help: 'Tokens of packed contexts by tenant',
      labelNames: ofTenant,
      registers,
    }),
    tenantBudgetTokens: new Counter({
      name: 'stowage_tenant_context_budget_tokens_total',
      help: 'Token budgets of packed contexts by tenant',
      labelNames: ofTenant,
      registers,
    }),
    tenantDegraded: new Counter({
      name: 'stowage_tenant_degraded_total',
      help: 'Contexts and improved searches with at least one degradation by tenant',
      labelNames: ofTenant,
      registers,
    }),
    tenantLimited: new Counter({
      name: 'stowage_tenant_limited_total',
      help: 'Requests that a limit of their tenant refused with 429',
      labelNames: [...ofTenant, 'limit'],
      registers,
    }),
    guardRefusals: new Counter({
      name: 'stowage_guard_refusals_total',
      help: 'Requests of tenants that were refused because they do not keep to what is theirs, by status',
      labelNames: ['status'],
      registers,
    }),
    tenantsReloads: new Counter({
      name: 'stowage_tenants_reloads_total',
      help: 'Changes of the file of tenants, by whether they replaced the tenants or were refused',
      labelNames: ['outcome'],
      registers,
    }),
    tenantsFileRefused: new Gauge({
      name: 'stowage_tenants_file_refused',
      help: '1 while the file of tenants has faults, so that the tenants of before are used, else 0',
      registers,
    }),
  }
  for (const outcome of ['replaced', 'refused']) metrics.tenantsReloads.inc({ outcome }, 0)
  for (const status of REFUSAL_STATUSES) metrics.guardRefusals.inc({ status: String(status) }, 0)
  return { ...metrics, ...tenantSeries(metrics) }
}

type TenantTable = Record<
  'tenantRequests' | 'tenantContextTokens' | 'tenantBudgetTokens' | 'tenantDegraded' | 'tenantLimited',
  Counter<string>
> & { tenantSeconds: Histogram<string> }

/** Makes the series of a tenant, with 0, and takes them away. */
function tenantSeries(metrics: TenantTable) {
  const { tenantRequests, tenantSeconds, tenantContextTokens, tenantBudgetTokens, tenantDegraded, tenantLimited } =
    metrics
  const plain = [tenantContextTokens, tenantBudgetTokens, tenantDegraded]
  return {
    addTenant(tenant: string): void {
      tenantSeconds.zero({ tenant })
      for (const counter of plain) counter.inc({ tenant }, 0)
      for (const outcome of OUTCOMES) tenantRequests.inc({ tenant, outcome }, 0)
      for (const limit of TENANT_LIMITS) tenantLimited.inc({ tenant, limit }, 0)
    },
    removeTenant(tenant: string): void {
      tenantSeconds.remove({ tenant })
      for (const counter of plain) counter.remove({ tenant })
      for (const outcome of OUTCOMES) tenantRequests.remove({ tenant, outcome })
      for (const limit of TENANT_LIMITS) tenantLimited.remove({ tenant, limit })
    },
  }
}
