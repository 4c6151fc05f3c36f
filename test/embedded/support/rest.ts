import { send } from '../../support/send.ts'

/** Qdrant's envelope: a result, or an error text. */
export interface Envelope<Result> {
  result: Result
  status: string | { error: string }
}

/** One request to an embedded server, its answer read as Qdrant's envelope. */
export async function rest<Result = unknown>(
  url: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Envelope<Result>; error: string | undefined }> {
  const { status, json } = await send<Envelope<Result>>(url, method, path, body)
  return { status, body: json, error: typeof json.status === 'string' ? undefined : json.status.error }
}
