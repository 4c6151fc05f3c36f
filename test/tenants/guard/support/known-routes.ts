import { readFileSync } from 'node:fs'

/** A route of Qdrant as another source than the table lists it. */
export interface KnownRoute {
  /** `*` where the source does not say. */
  method: string
  path: string
  operation: string
}

const RECORDED = new URL('../../../fixtures/qdrant-routes.tsv', import.meta.url)
const CLIENT_TYPES = new URL(
  '../../../../node_modules/@qdrant/js-client-rest/dist/types/openapi/generated_schema.d.ts',
  import.meta.url,
)

/** The routes that Qdrant 1.18.3 and 1.19.0 serve: those of their OpenAPI descriptions, and those that only their sources show. */
export function recordedRoutes(): KnownRoute[] {
  const [, ...lines] = readFileSync(RECORDED, 'utf8').trim().split('\n')
  return lines.map(line => {
    const [method = '', path = '', operation = ''] = line.split('\t')
    return { method, path, operation }
  })
}

/** The routes in the types of the installed JavaScript client. */
export function clientRoutes(): KnownRoute[] {
  const text = readFileSync(CLIENT_TYPES, 'utf8')
  const paths = text.slice(text.indexOf('export interface paths {'), text.indexOf('export type webhooks'))
  return [...paths.matchAll(/^ {4}"([^"]+)": \{([\s\S]*?)^ {4}\};/gm)].flatMap(([, path = '', body = '']) =>
    [...body.matchAll(/^ {8}(\w+): operations\["(\w+)"\]/gm)].map(([, method = '', operation = '']) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  )
}
