import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'

/**
 * Runs one program, and ends it when the process that forked this one is gone, however that ended: Ctrl-C, a crash, SIGKILL.
 * The first message says what to start: `{ program, line, options, endSignal, folder }`; `folder` is removed at the end.
 * Each later message is a signal for the program. It tells `{ pid }` at the start and `{ code, signal }` at the end.
 * It is JavaScript, because it must be up before a loader of TypeScript would be.
 */
const MOST_MS_TO_END = 5_000

let child
let start

process.on('message', message => {
  if (child) return void child.kill(message.signal)
  start = message
  child = spawn(start.program, start.line, { ...start.options, stdio: ['ignore', 'inherit', 'inherit'] })
  child.once('spawn', () => tell({ pid: child.pid }))
  child.once('error', error => finish({ code: 127, signal: null, error: error.message }))
  child.once('exit', (code, signal) => finish({ code, signal }))
})

process.on('disconnect', () => {
  if (!child) process.exit()
  child.kill(start.endSignal)
  setTimeout(() => child.kill('SIGKILL'), MOST_MS_TO_END).unref()
})

function finish(ended) {
  // A program that is to be started again keeps its folder: only the end of the parent takes it away.
  if (!process.connected && start.folder)
    rmSync(start.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  tell(ended)
  process.exitCode = 0
  if (process.connected) process.disconnect()
}

function tell(message) {
  if (process.connected) process.send(message)
}
