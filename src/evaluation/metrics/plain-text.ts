import type { ContextFormat } from '../../core/types.ts'

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** The text of a context as a reader reads it: without the escapes of its format. A JSON context that is cut loses its line breaks only. */
export function plainText(context: string, format: ContextFormat): string {
  if (format === 'xml') return context.replace(/&(amp|lt|gt|quot|apos);/gu, (_, name: string) => ENTITIES[name] ?? '')
  if (format === 'json')
    return context.replace(/\\(?:u([0-9a-f]{4})|(.))/giu, (_, code: string | undefined, sign: string) =>
      code === undefined ? ('nrtbf'.includes(sign) ? ' ' : sign) : String.fromCharCode(Number.parseInt(code, 16)),
    )
  return context
}
