import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { groupBy } from '../../src/core/collections.ts'
import { startLlmServer } from '../support/llm-server.ts'

/**
 * Compares plain with contextual retrieval on a golden set whose sections have summaries that a language model wrote
 * (`summaries.jsonl`: `{doc_id, start, end, summary}`). A server on this machine gives them out as a model would: for each chunk, the
 * summary of the section that holds most of it.
 *
 *   npm run bench:contextual -- SET [options of stowage replay]
 */
const ARMS = 'topk,measured,topk:retrieval.contextual=true,measured:retrieval.contextual=true'
const [set, ...options] = process.argv.slice(2)
if (set === undefined) {
  console.error('usage: npm run bench:contextual -- SET [options of stowage replay]')
  process.exit(2)
}

const rows = <Row>(file: string): Row[] =>
  readFileSync(join(set, file), 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
interface Section {
  doc_id: string
  start: number
  end: number
  summary: string
}
const documents = rows<{ doc_id: string; text: string }>('corpus.jsonl')
const sections = groupBy(rows<Section>('summaries.jsonl'), section => section.doc_id)

/** The summary of the section with the largest share of the chunk; '' for a chunk that is in none. */
function summaryOf(chunk: string): string {
  // The prompt escapes the tags that it uses itself, so the first lines may differ.
  const probe = chunk.slice(0, 200).split('&lt;')[0] ?? ''
  for (const { doc_id: id, text } of documents) {
    const from = text.indexOf(probe)
    if (probe === '' || from < 0) continue
    const to = from + chunk.length
    const shared = ({ start, end }: Section) => Math.min(to, end) - Math.max(from, start)
    const [best] = (sections.get(id) ?? []).toSorted((a, b) => shared(b) - shared(a))
    return best !== undefined && shared(best) > 0 ? best.summary : ''
  }
  return ''
}

const server = await startLlmServer({ answer: ({ chunk }) => summaryOf(chunk) })
const replay = spawn(
  process.execPath,
  ['src/stowage.js', 'replay', set, '--context', 'openai', '--arms', ARMS, '--against', 'measured', ...options],
  {
    stdio: 'inherit',
    env: { ...process.env, CONTEXT_BASE_URL: `${server.url}/v1`, CONTEXT_MODEL: `summaries-of-${basename(set)}` },
  },
)
process.on('SIGINT', () => replay.kill('SIGINT'))
replay.on('exit', async code => {
  const { requests } = server.stats()
  const without = requests.filter(({ chunk }) => summaryOf(chunk) === '').length
  console.log(`\n${requests.length} calls; ${without} of them for chunks without a summary`)
  await server.close()
  process.exitCode = code ?? 1
})
