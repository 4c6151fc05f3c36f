import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { styleText } from 'node:util'
import { badRequest, StowageError } from '../../core/errors.ts'
import { redactUrls } from '../../core/redact-urls.ts'
import { openGoldenFolder } from '../../evaluation/golden-add/golden-files.ts'
import { type Marker, type MarkingResult, markQuestions } from '../../evaluation/golden-add/marking.ts'
import { readQuestions, type SeenQuestions } from '../../evaluation/golden-add/read-traces.ts'
import { sampleQuestions } from '../../evaluation/golden-add/sample.ts'
import { counted } from '../../text/printable.ts'
import { type LiveOptions, type OpenLiveCollection, withLiveCollection } from '../replay/live-collection.ts'
import { decoded, traceFiles } from '../trace-files.ts'

export interface GoldenAddDependencies {
  input: NodeJS.ReadableStream & { isTTY?: boolean }
  out: NodeJS.WritableStream & { isTTY?: boolean; hasColors?(): boolean }
  openCollection: OpenLiveCollection
}

export interface AddFlags extends LiveOptions {
  traces: string[]
  into: string
  sample: number
  seed: number
}

/** Does what `stowage golden add` is asked for. @throws StowageError `bad_request` */
export async function runAdd(flags: AddFlags, { input, out, openCollection }: GoldenAddDependencies): Promise<void> {
  const files = traceFiles(flags.traces)
  const seen = await readQuestions(files.map(({ path }) => decoded(createReadStream(path))))
  const collection = flags.collection ?? onlyCollection(seen)
  const folder = await openGoldenFolder(flags.into)
  const asked = seen.questions.filter(({ collections }) => collections.includes(collection))
  const fresh = asked.filter(({ key }) => !folder.known.has(key))
  out.write(readText(seen, asked.length - fresh.length))
  if (fresh.length === 0) {
    out.write(`No question of ${collection} is left to mark.\n`)
    return
  }
  const sampled = sampleQuestions(fresh, { size: flags.sample, seed: flags.seed })
  const result = await withLiveCollection({ ...flags, collection }, openCollection, async live => {
    if (live === null) throw new StowageError('internal', 'no collection was opened')
    const { marker, close } = openMarker(input, out)
    try {
      return await markQuestions(sampled, live, folder, marker)
    } finally {
      close()
    }
  })
  out.write(resultText(result, { ...flags, collection }))
}

/** The collection of all traces. @throws StowageError `bad_request` when there are none or several */
function onlyCollection({ questions, traces, withoutText, broken }: SeenQuestions): string {
  const names = [...new Set(questions.flatMap(({ collections }) => collections))].sort()
  const [name] = names
  if (name !== undefined && names.length === 1) return name
  const why =
    names.length > 1
      ? `the traces are of ${names.join(', ')}; choose one with --collection`
      : `no question to mark: ${counted(traces, 'trace')}, ${withoutText} of them without the text of the query (TRACE_QUERY_TEXT), ${counted(broken, 'line')} not understood`
  throw badRequest(why)
}

function openMarker(
  input: GoldenAddDependencies['input'],
  out: GoldenAddDependencies['out'],
): { marker: Marker; close(): void } {
  const terminal = Boolean(input.isTTY && out.isTTY)
  const lines = createInterface({ input, output: terminal ? out : undefined, terminal })
  // On a terminal readline takes Ctrl-C; it ends the input, and the summary says what was kept.
  lines.on('SIGINT', () => lines.close())
  const next = lines[Symbol.asyncIterator]()
  const coloured = Boolean(out.isTTY && (out.hasColors?.() ?? true))
  const style = (format: 'bold' | 'dim') => (text: string) => (coloured ? styleText(format, text) : text)
  const ask = async (prompt: string): Promise<string | null> => {
    if (terminal) {
      lines.setPrompt(prompt)
      lines.prompt()
    } else out.write(prompt)
    const { value, done } = await next.next()
    if (!terminal || done) out.write('\n')
    return done ? null : value
  }
  const write = (text: string) => void out.write(text)
  return { marker: { write, ask, style: { strong: style('bold'), weak: style('dim') } }, close: () => lines.close() }
}

function readText({ questions, traces, withoutText, broken }: SeenQuestions, known: number): string {
  const notes = [
    ...(known > 0 ? [`${known} are in the folder already`] : []),
    ...(withoutText > 0 ? [counted(withoutText, 'trace has no query text', 'traces have no query text')] : []),
    ...(broken > 0 ? [counted(broken, 'line was not understood', 'lines were not understood')] : []),
  ]
  return `${counted(traces, 'trace')}, ${counted(questions.length, 'distinct question')}${notes.map(note => `; ${note}`).join('')}\n`
}

function resultText(
  { marked, unanswerable, skipped, left }: MarkingResult,
  { into, url, collection }: AddFlags,
): string {
  const next = `stowage golden check ${into}/queries.jsonl${url === undefined ? '' : ` --url ${redactUrls(url)}`} --collection ${collection}`
  const counts = `${marked} marked, ${unanswerable} without an answer, ${skipped} skipped, ${left} left; kept in ${into}`
  return `\n${counts}\n${marked > 0 ? `next: ${next}\n` : ''}`
}
