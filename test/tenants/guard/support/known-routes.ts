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

const CLIENT_SCHEMA = readFileSync(CLIENT_TYPES, 'utf8')

/** The routes in the types of the installed JavaScript client. */
export function clientRoutes(): KnownRoute[] {
  const start = CLIENT_SCHEMA.indexOf('export interface paths {')
  const paths = CLIENT_SCHEMA.slice(start, CLIENT_SCHEMA.indexOf('export type webhooks'))
  return [...paths.matchAll(/^ {4}"([^"]+)": \{([\s\S]*?)^ {4}\};/gm)].flatMap(([, path = '', body = '']) =>
    [...body.matchAll(/^ {8}(\w+): operations\["(\w+)"\]/gm)].map(([, method = '', operation = '']) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  )
}

/** Names of the fields of a schema in the types of the installed client; for a union, those of its members. */
export function clientFields(schema: string): string[] {
  const text = CLIENT_SCHEMA.replace(/\/\*\*[\s\S]*?\*\//g, '')
  const start = text.indexOf(`\n        ${schema}: `)
  if (start < 0) throw new Error(`the client has no schema ${schema}`)
  const rest = text.slice(start + 1)
  const body = rest.slice(0, /\n {8}[A-Z]\w*: /.exec(rest)?.index)
  const fields = [...body.matchAll(/^ {12}(\w+)\??: /gm)].map(([, field = '']) => field)
  if (fields.length > 0) return fields
  return [...body.matchAll(/schemas"\]\["(\w+)"\]/g)].flatMap(([, member = '']) => clientFields(member))
}
