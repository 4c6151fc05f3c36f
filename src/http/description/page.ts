import { policyHash } from '../../web/page-files.ts'
import { escaped, Html, html, joined } from './html.ts'
import { STYLES } from './page-styles.ts'

/** The parts of an OpenAPI description that the page shows. */
export interface Description {
  info: { title: string; version: string; description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: Record<'schemas' | 'headers' | 'parameters' | 'securitySchemes', Record<string, Part>>
}

interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description: string
  parameters?: Part[]
  requestBody?: { content: Content }
  responses: Record<string, { description: string; headers?: Record<string, Part>; content?: Content }>
  security: object[]
}

type Content = Record<string, { schema: Part; examples?: Record<string, { summary: string; value: unknown }> }>

/** Allows the styles of the page and nothing else: no script, and nothing from a network. */
export const PAGE_POLICY = `default-src 'none'; style-src ${policyHash(STYLES)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** The description as one page of HTML for people. */
export function referencePage(description: Description): string {
  const { info, tags, components } = description
  const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, ...operation })),
  )
  const withTag = (name: string) => operations.filter(operation => operation.tags.includes(name))
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title} API ${info.version}</title>
<style>${new Html(STYLES)}</style>
</head>
<body>
<nav aria-label="Routes">
${joined(
  tags.map(
    ({ name }) =>
      html`<h2>${name}</h2><ul>${joined(withTag(name).map(({ operationId, method, path }) => html`<li><a href="#${operationId}">${method} ${path}</a></li>`))}</ul>`,
  ),
)}
<h2>schemas</h2><ul>${joined(Object.keys(components.schemas).map(name => html`<li><a href="#schema-${name}">${name}</a></li>`))}</ul>
</nav>
<main>
<h1>${info.title} API <small>${info.version}</small></h1>
${prose(info.description)}
<p>The same for programs: <a href="/v1/openapi.json">/v1/openapi.json</a></p>
${joined(tags.map(tag => html`<h2>${tag.name}</h2>${prose(tag.description)}${joined(withTag(tag.name).map(operation => section(operation, components)))}`))}
<h2>Schemas</h2>
${joined(Object.entries(components.schemas).map(([name, schema]) => html`<section id="schema-${name}"><h3>${name}</h3>${schemaRows(schema)}</section>`))}
</main>
</body>
</html>
`
  return String(page)
}

function section(operation: Operation & { method: string; path: string }, components: Description['components']): Html {
  const { operationId, method, path, summary, description } = operation
  const { parameters = [], requestBody, responses, security } = operation
  const keys = security.flatMap(Object.keys)
  const isOptional = security.some(one => Object.keys(one).length === 0)
  const key = keys.length === 0 ? 'No key is needed.' : `Key: ${keys.join(' or ')}${isOptional ? ', or none' : ''}.`
  return html`<section id="${operationId}">
<h3><span class="method">${method}</span> ${path}</h3>
${prose(summary)}${description === summary ? '' : prose(description)}
<p>${key}</p>
${parameters.length === 0 ? '' : html`<h4>Parameters</h4>${definitions(parameters.map(one => resolved(one, components)).map(one => [`${one.name} (${one.in}${one.required ? '' : ', optional'})`, String(one.description)]))}`}
${requestBody ? html`<h4>Body</h4>${bodies(requestBody.content)}` : ''}
<h4>Answers</h4>
${joined(
  Object.entries(responses).map(
    ([
      status,
      { description: meaning, headers = {}, content = {} },
    ]) => html`<details><summary><b>${status}</b> ${marked(meaning)}</summary>
${definitions(Object.entries(headers).map(([name, header]) => [name, String(resolved(header, components).description)]))}
${bodies(content)}</details>`,
  ),
)}
</section>
`
}

function bodies(content: Content): Html {
  return joined(
    Object.entries(content).map(
      ([type, { schema, examples = {} }]) => html`<p><code>${type}</code></p>${schemaRows(schema)}
${joined(Object.values(examples).map(({ summary, value }) => html`<p>Example: ${summary}</p><pre tabindex="0">${JSON.stringify(value, null, 2)}</pre>`))}`,
    ),
  )
}

function definitions(rows: readonly (readonly [string, string])[]): Html | '' {
  if (rows.length === 0) return ''
  return html`<dl>${joined(rows.map(([term, meaning]) => html`<dt><code>${term}</code></dt><dd>${marked(meaning)}</dd>`))}</dl>`
}

/** What a `$ref` to a header or a parameter stands for. */
function resolved(part: Part, components: Description['components']): Part {
  const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/u.exec(String(part.$ref ?? '')) ?? []
  return components[kind as keyof typeof components]?.[name] ?? part
}

const prose = (text: string): Html => html`<p>${marked(text)}</p>`

/** Text in which backticks mark code. */
function marked(text: string): Html {
  return joined(text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : escaped(part))))
}

/** A schema, a header or a parameter of an OpenAPI description, or a reference to one. */
type Part = Readonly<Record<string, unknown>>

/** The fields of an object with their types and meanings; for another schema, its type. */
function schemaRows(schema: Part): Html {
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Part>)
  if (fields.length === 0) return html`<p>${typeOf(schema)}</p>`
  const required = (schema.required ?? []) as string[]
  const row = ([name, field]: [string, Part]) =>
    html`<tr><th scope="row"><code>${name}</code>${required.includes(name) ? '' : html` <small>optional</small>`}</th><td>${typeOf(field)}</td><td>${String(field.description ?? '')}</td></tr>`
  return html`<div class="table" role="region" aria-label="fields" tabindex="0"><table><thead><tr><th scope="col">field</th><th scope="col">type</th><th scope="col">meaning</th></tr></thead><tbody>${joined(fields.map(row))}</tbody></table></div>`
}

/** A type in a few words. Named schemas are links. */
function typeOf(schema: Part): Html {
  const { $ref, anyOf, oneOf, allOf, enum: values, type, items, properties, minimum, maximum } = schema
  if ($ref !== undefined) {
    const name = String($ref).replace(/^.*\//u, '')
    return html`<a href="#schema-${name}">${name}</a>`
  }
  const several = (anyOf ?? oneOf ?? allOf) as Part[] | undefined
  if (several !== undefined && type === undefined)
    return separated(several.map(typeOf), allOf === undefined ? ' or ' : ' with ')
  if (values !== undefined) return codes(values as unknown[])
  if (schema.const !== undefined) return html`<code>${String(schema.const)}</code>`
  if (type === 'array') return html`list of ${typeOf((items ?? {}) as Part)}`
  if (properties !== undefined) return html`object: ${codes(Object.keys(properties as object))}`
  if (oneOf !== undefined) return typeOf({ enum: (oneOf as Part[]).map(one => one.const) })
  if (minimum !== undefined && maximum !== undefined)
    return html`${String(type)}, ${String(minimum)} to ${String(maximum)}`
  return html`${String(type ?? 'any value')}`
}

function codes(values: readonly unknown[]): Html {
  const each = values.map(value => html`<code>${String(value)}</code>`)
  return separated(each, ', ')
}

function separated(all: readonly Html[], separator: string): Html {
  return joined(all.flatMap((one, index) => (index === 0 ? [one] : [html`${separator}`, one])))
}
