import type { Config } from '../../config.ts'
import type { ContextWriter, WriterKind } from '../../contexts/context.ts'
import { StowageError } from '../../core/errors.ts'
import { endpointAllowed } from '../../tenants/context-endpoints.ts'
import type { Tenant } from '../../tenants/tenant.ts'
import { readTenants } from '../tenants.ts'
import { openContextWriter } from './open-writer.ts'

/** The points that an ingestion writes. */
interface WrittenPoints {
  collection: string
  /** Value of their payload field `tenant`; null without one. */
  tenant: string | null
}

/**
 * The writer of contexts for an ingestion; null for `off`, undefined when nothing was asked for.
 * @throws StowageError `bad_request` for a missing setting; `forbidden` when a tenant that can read the points does not allow the endpoint
 */
export async function openIngestContexts(
  config: Config,
  choice: WriterKind | 'off' | undefined,
  points: WrittenPoints,
  countTokens: (text: string) => number,
): Promise<ContextWriter | null | undefined> {
  if (choice === undefined) return undefined
  if (choice === 'off') return null
  const writer = openContextWriter(config, choice, countTokens)
  if (writer.endpoint === null) return writer
  const tenants = (await readTenants(config))?.tenants ?? []
  const refusing = tenants.filter(tenant => canRead(tenant, points) && !endpointAllowed(tenant, writer.endpoint))
  if (refusing.length === 0) return writer
  throw new StowageError(
    'forbidden',
    `the tenants ${refusing.map(({ name }) => name).join(', ')} can read these chunks and do not allow ${writer.endpoint} ` +
      '(context_endpoints in TENANTS_FILE); --context rules sends nothing',
  )
}

/** Whether the tenant can read the points. A condition on anything but the field `tenant` is not known here, so it counts as met. */
function canRead({ reaches, condition, stamp }: Tenant, { collection, tenant }: WrittenPoints): boolean {
  if (!reaches(collection)) return false
  return condition === null || stamp?.field !== 'tenant' || stamp.value === tenant
}
