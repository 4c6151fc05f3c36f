/** Qdrant's envelope: a result, or an error text. */
export interface Envelope<Result> {
  result: Result
  status: string | { error: string }
}

/** One request to an embedded server: a body that is a string is sent as it stands, anything else as JSON. */
export async function rest<Result = unknown>(
  url: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Envelope<Result>; error: string | undefined }> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
  })
  const envelope = JSON.parse(await response.text()) as Envelope<Result>
  const error = typeof envelope.status === 'string' ? undefined : envelope.status.error
  return { status: response.status, body: envelope, error }
}
