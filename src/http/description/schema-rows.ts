import { type Html, html, joined } from './html.ts'

/** A schema, a header or a parameter of an OpenAPI description, or a reference to one. */
export type Part = Readonly<Record<string, unknown>>

/** The fields of an object with their types and meanings; for another schema, its type. */
export function schemaRows(schema: Part): Html {
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
