import type { IncomingHttpHeaders } from 'node:http'
import { noAnswer, startRecordingServer } from './recording-server.ts'

/** What a model endpoint answers: JSON, a string to send unchanged, or nothing for as long as the client waits. */
export type JsonAnswer = { status?: number; headers?: Record<string, string>; body: unknown } | 'never'

export interface JsonServer {
  url: string
  requests: { path: string; headers: IncomingHttpHeaders; body: Record<string, unknown> }[]
  close(): Promise<void>
}

/** A stand-in for a model endpoint: answers each JSON request as told, and keeps what it was asked. */
export async function startJsonServer(
  answer: (body: Record<string, unknown>, path: string) => JsonAnswer,
): Promise<JsonServer> {
  const requests: JsonServer['requests'] = []
  const { url, close } = await startRecordingServer(({ path, headers, body: text }) => {
    const body = JSON.parse(text || '{}') as Record<string, unknown>
    requests.push({ path, headers, body })
    const answered = answer(body, path)
    if (answered === 'never') return noAnswer
    const { status = 200, headers: more = {}, body: content } = answered
    return {
      status,
      headers: { 'content-type': 'application/json', ...more },
      body: typeof content === 'string' ? content : JSON.stringify(content),
    }
  })
  return { url, requests, close }
}
