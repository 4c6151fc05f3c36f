import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { badRequest } from '../../core/errors.ts'

const SHIPPED_GOLDENS = fileURLToPath(new URL('../../../goldens', import.meta.url))

/** Looks for a bare name under `goldens/`, here and in the package; everything else is a path. @throws StowageError `bad_request` */
export function goldenFolder(name: string): string {
  const isName = /^[^./\\][^/\\]*$/.test(name)
  const places = isName ? [join('goldens', name), join(SHIPPED_GOLDENS, name), name] : [name]
  const found = places.find(place => existsSync(place))
  if (found) return found
  throw badRequest(`no golden set ${name}: looked for ${places.join(', ')}`)
}
