import { PassThrough } from 'node:stream'
import { Command } from 'commander'
import { addAbCommand } from '../../../src/commands/ab.ts'

/** Runs `stowage ab` in this process, with the real `fetch`. @returns what it printed, and the error that ended it */
export async function ab(...words: string[]) {
  const [out, progress] = [new PassThrough(), new PassThrough()]
  const program = new Command().exitOverride()
  addAbCommand(program, { out, progress: progress as unknown as NodeJS.WriteStream, fetch })
  for (const command of program.commands) command.exitOverride().configureOutput({ writeErr: () => {} })
  const error = await program.parseAsync(['node', 'stowage', 'ab', ...words]).then(
    () => null,
    (thrown: Error & { code?: string }) => thrown,
  )
  return { text: String(out.read() ?? ''), error }
}
