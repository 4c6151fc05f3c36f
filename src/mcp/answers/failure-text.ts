import type { RequestFault, StowageError } from '../../core/errors.ts'
import { redactUrls } from '../../core/redact-urls.ts'

/** An error in words, whole and as its code alone. Wrong arguments come with their values. */
export function failureTexts({ code, message, details }: StowageError): string[] {
  const faults = code === 'bad_request' && Array.isArray(details) ? details : []
  const named = faults.map(fault => (typeof fault === 'string' ? fault : faultText(fault)))
  const text = named.length === 0 ? message : `Invalid arguments: ${named.join('; ')}`
  return [`${code}: ${redactUrls(text)}`, code]
}

function faultText({ field, message, value }: RequestFault): string {
  return `${field}${value === null ? '' : `=${value}`}: ${message}`
}
