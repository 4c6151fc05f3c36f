import type { Cover, Route } from '../../../src/tenants/guard/routes/route.ts'
import { ROUTES } from '../../../src/tenants/guard/routes/table.ts'

/** Rows of the page about routes: route, operation, who may use it, how it is kept to points of the tenant. */
export function tenantRouteRows(): string[][] {
  return ROUTES.map(route => [
    `\`${route.method === '*' ? '(other methods)' : route.method} ${route.path}\``,
    route.operation === 'undocumented' ? '' : `\`${route.operation}\``,
    openTo(route.cover),
    howKept(route),
  ])
}

function openTo(cover: Cover): string {
  switch (cover.kind) {
    case 'open':
    case 'guarded':
      return 'all tenants'
    case 'allowable':
      return cover.scope === 'any' ? 'if allowed' : 'if allowed, with whole collections'
    case 'never':
      return 'nobody'
  }
}

function howKept({ cover }: Route): string {
  if (cover.kind === 'open') return 'As it is: it tells nothing of any collection.'
  return cover.kind === 'never' ? '' : cover.how
}
