import { PassThrough } from 'node:stream'
import { Command } from 'commander'

/** Runs one command line in process. `shown` is the progress; `error` is what the program would end with. */
export async function runCommand(
  add: (program: Command, streams: { out: PassThrough; progress: NodeJS.WriteStream }) => void,
  ...line: string[]
): Promise<{ out: string; shown: string; error: unknown }> {
  const out = new PassThrough()
  const program = new Command('stowage').exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} })
  const progress = new PassThrough()
  add(program, { out, progress: progress as unknown as NodeJS.WriteStream })
  for (const command of program.commands)
    command.exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} })
  const error = await program.parseAsync(line, { from: 'user' }).then(
    () => null,
    (thrown: unknown) => thrown,
  )
  const read = (stream: PassThrough): string => (stream.read() as Buffer | null)?.toString() ?? ''
  return { out: read(out), shown: read(progress), error }
}
