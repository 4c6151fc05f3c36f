import type { PointsPart, ReportData } from '../../report-data.ts'

const kept = new Map<string, Promise<unknown>>()

export const NOT_KEPT = 'The contexts and candidates of this arm are not in this file.'

export function readReport(): Promise<ReportData> {
  return decode(textOf('data-main'))
}

export function readPoints(): Promise<PointsPart> {
  return once('points', () => textOf('data-points'))
}

/** @param part its number, from a query of the report */
export function readPart<Part>(part: number): Promise<Part> {
  return once(`part ${part}`, () => partText(part))
}

let parts: string[] | null = null

function partText(part: number): string {
  parts ??= textOf('data-parts').split('\n')
  return parts[part] ?? ''
}

function once<Value>(name: string, text: () => string): Promise<Value> {
  const known = kept.get(name) ?? decode<Value>(text())
  kept.set(name, known)
  return known as Promise<Value>
}

async function decode<Value>(text: string): Promise<Value> {
  const bytes = Uint8Array.from(atob(text), sign => sign.charCodeAt(0))
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  return new Response(unpacked).json()
}

function textOf(id: string): string {
  return document.getElementById(id)?.textContent ?? ''
}
