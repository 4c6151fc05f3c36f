import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Trace } from '../../../src/pipeline/trace/schema.ts'
import { runToEnd } from '../support/process.ts'
import { describeWith } from '../support/programs.ts'
import { pythonProgram } from '../support/python.ts'
import { type StowageProcess, startStowage } from '../support/stowage.ts'

const ASK = fileURLToPath(new URL('ask.py', import.meta.url))
const EXAMPLES = fileURLToPath(new URL('../../../examples/python', import.meta.url))

describeWith('python')('qdrant-client of Python', () => {
  let stowage: StowageProcess
  beforeAll(async () => {
    stowage = await startStowage()
    await stowage.send('PUT', '/collections/docs', { vectors: { size: 2, distance: 'Cosine' } })
    const points = [1, 2].map(id => ({ id, vector: [1, id], payload: { text: `The harbour is ${id} fathoms deep.` } }))
    await stowage.send('PUT', '/collections/docs/points?wait=true', { points })
  })
  afterAll(() => stowage?.stop())

  test('tells the question with examples/python, in both of its clients', async () => {
    const environment = { PATH: process.env.PATH ?? '', PYTHONUTF8: '1' }
    const output = await runToEnd({ program: pythonProgram(), line: [ASK, stowage.url, EXAMPLES], environment })
    const asked: { name: string; trace_id: string }[] = output
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    const traces = await Promise.all(asked.map(({ trace_id }) => stowage.send<Trace>('GET', `/v1/traces/${trace_id}`)))
    const queries = asked.map(({ name }, index) => [name, traces[index]?.json.query] as const)
    expect(Object.fromEntries(queries)).toEqual({
      before: null,
      sync: 'How deep is the harbour? 🌊\n100 %',
      nested: 'inner',
      outer: 'outer',
      blank: null,
      surrogate: 'tide ?',
      long: '潮'.repeat(888),
      thread: null,
      'thread with the context': 'of a thread',
      after: null,
      'own headers of 1.19': 'own headers',
      ...Object.fromEntries(
        Array.from({ length: 15 }, (_, index) => [
          `async ${index + 1}`,
          (index + 1) % 5 === 0 ? null : `question ${index + 1}`,
        ]),
      ),
    })
    const sync = asked.findIndex(({ name }) => name === 'sync')
    expect(traces[sync]?.json.session_id).toBe('session-1')
  })
})
