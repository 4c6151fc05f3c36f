import { percentDecoded } from '../percent-decoded.ts'

const ESCAPED = /%[0-9a-f]{2}/iu
const SPACE = /\s/u

/** The name of a file without the escapes of addresses, which saved files keep: "Standard%20NDA" is "Standard NDA". What is no such name stays as it is. */
export function readableName(name: string): string {
  return ESCAPED.test(name) && !SPACE.test(name) ? percentDecoded(name) : name
}
