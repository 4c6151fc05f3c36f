import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import { isLearned } from '../../models/training/learned.ts'
import { readGoldenSet } from '../../src/evaluation/golden-set/golden-set.ts'
import { finish } from './terminal.ts'

const program = new Command('unlearned-goldens')
  .description('copy golden sets without the questions that the reranker which ships has learned')
  .argument('<target>', 'folder for the sets')
  .argument('<set...>', 'folders of golden sets')
  .action(write)

async function write(target: string, folders: string[]): Promise<void> {
  for (const folder of folders) {
    const { name, queries } = await readGoldenSet(folder)
    const learned = new Set(queries.filter(golden => isLearned(name, golden)).map(({ id }) => id))
    const file = join(target, name, 'queries.jsonl')
    await cp(folder, join(target, name), { recursive: true })
    const lines = (await readFile(file, 'utf8')).split('\n').filter(line => line !== '')
    const kept = lines.filter(line => !learned.has(idOf(line)))
    await writeFile(file, kept.map(line => `${line}\n`).join(''))
    process.stdout.write(`${name}: ${kept.length} of ${lines.length} questions\n`)
  }
}

function idOf(line: string): string {
  const row: { id?: string | number; _id?: string | number } = JSON.parse(line)
  return String(row.id ?? row._id)
}

await finish(program)
