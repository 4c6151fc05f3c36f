import { PassThrough } from 'node:stream'
import { Command } from 'commander'

/** Runs one command line in process. `error` is what the program would end with. */
export async function runCommand(
  add: (program: Command, streams: { out: PassThrough; progress: NodeJS.WriteStream }) => void,
  ...line: string[]
): Promise<{ out: string; error: unknown }> {
  const out = new PassThrough()
  const program = new Command('stowage').exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} })
  add(program, { out, progress: new PassThrough() as unknown as NodeJS.WriteStream })
  for (const command of program.commands)
    command.exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} })
  const error = await program.parseAsync(line, { from: 'user' }).then(
    () => null,
    (thrown: unknown) => thrown,
  )
  return { out: (out.read() as Buffer | null)?.toString() ?? '', error }
}
