import { appendFile, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from '../../files/make-folder.ts'
import { contentHash } from '../../text/fingerprint.ts'
import type { AskModel } from './judge.ts'

/**
 * Remembers the replies of a model in a file of JSON lines, so that a replay that is repeated or resumed pays for each prompt once. A torn
 * line, as a killed process leaves it, is ignored.
 * @param model part of the key: model and endpoint
 */
export async function rememberReplies(ask: AskModel, file: string, model: string): Promise<AskModel> {
  const replies = new Map<string, Promise<string>>()
  for (const line of (await readFile(file, 'utf8').catch(() => '')).split('\n')) {
    const row = readRow(line)
    if (row !== null) replies.set(row.key, Promise.resolve(row.reply))
  }
  await makeFolder(dirname(file))
  return async ({ system, user }, signal, isUsable = isNotEmpty) => {
    const key = contentHash(JSON.stringify([model, system, user]))
    const known = replies.get(key)
    if (known) {
      const text = await known
      if (isUsable(text)) return text
    }
    const reply = ask({ system, user }, signal, isUsable).then(async text => {
      // A reply that cannot be used must not be the reply of every later replay. The line break ends a line that was left torn.
      if (isUsable(text)) await appendFile(file, `\n${JSON.stringify({ key, reply: text })}`)
      return text
    })
    replies.set(key, reply)
    reply.catch(() => replies.delete(key))
    return reply
  }
}

const isNotEmpty = (reply: string) => reply.trim() !== ''

function readRow(line: string): { key: string; reply: string } | null {
  try {
    const { key, reply } = JSON.parse(line) as { key?: unknown; reply?: unknown }
    return typeof key === 'string' && typeof reply === 'string' && reply.trim() !== '' ? { key, reply } : null
  } catch {
    return null
  }
}
