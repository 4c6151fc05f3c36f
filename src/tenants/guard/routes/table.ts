import { COLLECTION_ROUTES } from './collections.ts'
import { POINT_ROUTES } from './points.ts'
import type { Route } from './route.ts'
import { SERVER_ROUTES, UNDOCUMENTED_ROUTES } from './server.ts'

/** Every route of Qdrant's REST API up to 1.19, and how it is covered. What is not in it is refused. */
export const ROUTES: readonly Route[] = [
  ...POINT_ROUTES,
  ...COLLECTION_ROUTES,
  ...SERVER_ROUTES,
  ...UNDOCUMENTED_ROUTES,
]

/** Operations that the `allow` list of a tenant can name, and whether only tenants with whole collections can have them. */
export const ALLOWABLE_OPERATIONS: ReadonlyMap<string, { readonly needsWholeCollections: boolean }> = new Map(
  ROUTES.flatMap(({ operation, cover }) =>
    cover.kind === 'allowable' ? [[operation, { needsWholeCollections: cover.scope === 'whole' }] as const] : [],
  ),
)
