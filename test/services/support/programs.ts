import { describe, inject } from 'vitest'
import type { Found, Programs, ServiceName } from './install.ts'

declare module 'vitest' {
  interface ProvidedContext {
    programs: Programs
  }
}

/**
 * `describe` for tests of real services. They are skipped when one of these is missing; why it is missing is printed at the start.
 */
export function describeWith(...names: readonly ServiceName[]) {
  const programs = inject('programs')
  return describe.skipIf(names.some(name => 'missing' in programs[name]))
}

/** The folder of the service's programs. Only for tests inside of {@link describeWith}. */
export function folderOf(name: ServiceName): string {
  const found: Found = inject('programs')[name]
  if ('missing' in found) throw new Error(found.missing)
  return found.folder
}
