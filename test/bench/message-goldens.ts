import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import { readGoldenSet } from '../../src/evaluation/golden-set/golden-set.ts'
import { finish } from './terminal.ts'

const MESSAGES = join(import.meta.dirname, '../goldens/messages.jsonl')

const program = new Command('message-goldens')
  .description('write golden sets twice: with the questions for which there are messages, and with the messages')
  .argument('<target>', 'folder for the sets')
  .argument('<set...>', 'folders of golden sets')
  .action(write)

/** A question as somebody types it into a chat. */
interface Message {
  set: string
  id: string
  message: string
}

async function write(target: string, folders: string[]): Promise<void> {
  const messages: Message[] = (await readFile(MESSAGES, 'utf8'))
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  for (const folder of folders) {
    const { name } = await readGoldenSet(folder)
    const own = new Map(messages.filter(({ set }) => set === name).map(({ id, message }) => [id, message]))
    const rows = await rowsOf(folder)
    const asked = rows.filter(({ id }) => own.has(id))
    const typed = asked.map(row => ({ ...row, query: own.get(row.id) }))
    await writeSet(folder, join(target, name), asked)
    await writeSet(folder, join(target, `${name}-messages`), typed)
    process.stdout.write(`${name}: ${asked.length} of ${rows.length} questions\n`)
  }
}

async function rowsOf(folder: string): Promise<{ id: string }[]> {
  const lines = (await readFile(join(folder, 'queries.jsonl'), 'utf8')).trimEnd().split('\n')
  return lines.map(line => JSON.parse(line)).map(row => ({ ...row, id: String(row.id ?? row._id) }))
}

async function writeSet(from: string, folder: string, rows: readonly object[]): Promise<void> {
  await cp(from, folder, { recursive: true })
  await writeFile(join(folder, 'queries.jsonl'), rows.map(row => `${JSON.stringify(row)}\n`).join(''))
}

await finish(program)
