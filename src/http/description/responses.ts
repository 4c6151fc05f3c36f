import { ERRORS, type ErrorCode } from '../../core/vocabulary.ts'
import { EXAMPLES, errorExample } from './examples.ts'
import type { Answer, Operation } from './operations.ts'
import { refTo, type SchemaName } from './schemas.ts'
import { headerRef } from './search-routes.ts'

/** The answers of an operation by status: its own, and one for each status of its errors. */
export function responsesOf({ answers, errors }: Operation): Record<string, object> {
  const statuses = [...new Set(errors.map(code => ERRORS[code].status))]
  return {
    ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, success(answer)])),
    ...Object.fromEntries(
      statuses.map(status => [status, failure(errors.filter(code => ERRORS[code].status === status))]),
    ),
  }
}

/** JSON of a named schema, with its examples. */
export function jsonContent(name: SchemaName): object {
  const examples = EXAMPLES[name]
  return { schema: refTo(name), ...(examples && { examples: valuesOf(examples) }) }
}

function success({ description, body, types, headers = [] }: Answer): object {
  const isText = body === 'text'
  const content = isText
    ? { schema: { type: 'string' } }
    : body === 'json schema'
      ? { schema: { type: 'object' } }
      : jsonContent(body)
  const shown = types ?? [isText ? 'text/plain' : 'application/json']
  return {
    description,
    ...(headers.length > 0 && { headers: Object.fromEntries(headers.map(name => [name, headerRef(name)])) }),
    content: Object.fromEntries(shown.map(type => [type, content])),
  }
}

/** An error of one status, which can have several codes. */
function failure(codes: readonly ErrorCode[]): object {
  const canWait = codes.some(code => ['too_many_requests', 'overloaded'].includes(code))
  const code = { properties: { error: { properties: { code: { enum: codes } } } } }
  return {
    description: codes.map(code => `\`${code}\`: ${ERRORS[code].meaning}`).join(' '),
    ...(canWait && { headers: { 'retry-after': headerRef('retry-after') } }),
    content: {
      'application/json': {
        schema: { allOf: [refTo('Error'), code] },
        examples: valuesOf(Object.fromEntries(codes.map(code => [code, errorExample(code)]))),
      },
    },
  }
}

function valuesOf(examples: Readonly<Record<string, object>>): object {
  return Object.fromEntries(
    Object.entries(examples).map(([summary, value]) => [summary.replaceAll(' ', '-'), { summary, value }]),
  )
}
