import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { badRequest } from '../../../core/errors.ts'

/** The name that stands for every other tenant, and for questions of no tenant. */
const OTHERS = '*'

/** The key for the questions of a tenant; null sends none. */
export type KeyOf = (tenant: string | null) => string | null

/** Sends no key. */
export const NO_KEYS: KeyOf = () => null

const keysSchema = z.record(z.string().min(1), z.string().min(1))

/**
 * Reads the keys for server arms: `{"acme": "KEY", "*": "KEY"}`. Keys stand in a file, so that no list of processes shows them.
 * @returns a function that throws StowageError `bad_request` for a tenant without a key
 * @throws StowageError `bad_request` for a file that cannot be used. No message shows a part of it.
 */
export async function readServerKeys(path: string): Promise<KeyOf> {
  const refuse = (reason: string) => badRequest(`--server-keys ${path}: ${reason}`)
  const text = await readFile(path, 'utf8').catch((error: Error) => Promise.reject(refuse(error.message)))
  const keys = keysSchema.safeParse(parsed(text))
  if (!keys.success) throw refuse('must be a JSON object with a key for each tenant, such as {"acme": "…", "*": "…"}')
  const known = new Map(Object.entries(keys.data))
  return tenant => {
    const key = known.get(tenant ?? OTHERS) ?? known.get(OTHERS)
    if (key === undefined)
      throw refuse(`has no key for ${tenant === null ? 'questions of no tenant' : tenant}, and no "*"`)
    return key
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
