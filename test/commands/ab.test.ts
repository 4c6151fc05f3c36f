import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Command } from 'commander'
import { beforeEach, describe, expect, it } from 'vitest'
import { addAbCommand } from '../../src/commands/ab.ts'
import { seededRandom } from '../../src/statistics/seeded-random.ts'
import { decideWith } from '../flags/support/flag-set.ts'
import { type Behaviour, NO_HARM, SESSIONS, simulatedRequests } from '../rollout/support/simulated-requests.ts'
import { sampleTrace } from '../support/sample-trace.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { ab } from './support/ab.ts'

let folder = ''
beforeEach(() => {
  folder = temporaryFolder('ab')
})

const VARIANTS = ['control', 'treatment'].map(name => ({ name, weight: 500, stickiness: 'sessionId' }))

/** TRACE_FILE lines of simulated requests. */
function traces(count: number, treatment: Behaviour = NO_HARM): string[] {
  const requests = simulatedRequests({ ...SESSIONS, share: 0.5 }, treatment, seededRandom(4))
  return Array.from({ length: count }, (_, number) => {
    const { assignment, unitId, seconds, recallProxy, tokens } = requests.next().value
    return `${JSON.stringify(
      sampleTrace({
        trace_id: `trace-${number}`,
        session_id: unitId,
        assignment,
        duration_ms: 1_000 * (seconds ?? 0),
        recall_proxy: recallProxy,
        budget: { ...sampleTrace().budget, used: tokens ?? 0 },
      }),
    )}\n`
  })
}

const write = async (name: string, lines: string[]) => {
  const path = join(folder, name)
  await writeFile(path, lines.join(''))
  return path
}

describe('stowage ab', () => {
  it('prints names of flags without what a terminal would obey', async () => {
    const assignment = { experiment: 'a\u001b[2J\nverdict', variant: 'b\u202e', unit: 'session' as const, share: 0.5 }
    const line = (number: number, shadow_of: string | null) =>
      `${JSON.stringify(sampleTrace({ trace_id: `${number}-${shadow_of}`, session_id: `s${number}`, shadow_of, assignment }))}\n`
    const lines = Array.from({ length: 20 }, (_, at) => [line(at, null), line(at, `${at}-null`)]).flat()
    const { text } = await ab(await write('t.jsonl', lines))
    expect(text).toContain('experiment a\\u001b[2J\\u000averdict: ')
    expect(text).toContain('shadow a\\u001b[2J\\u000averdict=b\\u202e: 20 pairs')
    for (const obeyed of ['\u001b', '\u202e', '\nverdict:']) expect(text).not.toContain(obeyed)
  })

  it('compares the traces of a file and of its rotated files, and ends well when nothing is wrong', async () => {
    const lines = traces(1_200)
    await write('t.jsonl.2', lines.slice(0, 400))
    await write('t.jsonl.1', lines.slice(400, 1_000))
    const path = await write('t.jsonl', [...lines.slice(1_000), '{"version":3,'])
    const { text, error } = await ab(path, `${path}.1`)
    expect(error).toBeNull()
    expect(text).toMatch(/^experiment simulated: control [56]\d\d requests of 1\d\d units\n/)
    expect(text).toContain('failed share │ unknown')
    expect(text).toContain('no sample-ratio mismatch')
    expect(text).toMatch(/verdict for treatment: (?:safe to continue|not enough data): /)
    expect(text).not.toContain('read twice')
    expect(text).not.toContain('not understood')
  })

  it('fails with the reason when a treatment does harm, after it has printed the report', async () => {
    const path = await write('t.jsonl', [...traces(900, { ...NO_HARM, lessRecall: 0.2 }), 'broken\n'])
    const { text, error } = await ab(path)
    expect(error).toMatchObject({ code: 'unprocessable', message: 'simulated=treatment: roll back' })
    expect(text).toMatch(
      /verdict for treatment: roll back: recall proxy -\d+\.\d points, beyond the trigger of -5 points/,
    )
    expect(text).toContain(`not understood: ${path}:901: is not JSON`)
  })

  it('says which traces are missing, and trusts nothing when one variant lost a larger share of them', async () => {
    const lost = (control: number, treatment: number, at: string) => {
      const of = (variant: string | null, traces: number) => ({ experiment: variant && 'simulated', variant, traces })
      const lost_traces = [of('control', control), of('treatment', treatment), of(null, 7)]
      return `${JSON.stringify({ lost_until: at, lost_traces })}\n`
    }
    const [before, after] = ['2000-01-01T00:00:00Z', '2100-01-01T00:00:00Z']
    const equal = await write('equal.jsonl', [...traces(1_200), lost(100, 100, after)])
    const { text, error } = await ab(equal)
    expect(error).toBeNull()
    expect(text).toMatch(/leave them out: treatment 100 of 6\d\d, control 100 of 7\d\d/)
    expect(text).toContain('the server could not write 207 traces')
    expect(text).not.toContain('not understood')
    const unequal = await write('unequal.jsonl', [...traces(1_200), lost(20, 100, after)])
    expect(await ab(unequal)).toMatchObject({
      error: { message: 'simulated=treatment: do not trust' },
      text: expect.stringMatching(/do not trust: the variants lost different shares of their traces/),
    })
    const old = await write('old.jsonl', [lost(20, 100, before), ...traces(1_200)])
    expect((await ab(old, '--since', '2001-01-01T00:00:00Z')).text).not.toContain('lost')
  })

  it('takes no time from answers of the cache, of which the variant with more traffic has more', async () => {
    const lines = traces(1_200).map((line, number) => {
      const trace = JSON.parse(line)
      const isHit = number % 10 < (trace.assignment.variant === 'control' ? 6 : 2)
      return `${JSON.stringify(isHit ? { ...trace, cache: 'hit', stages: [], duration_ms: 0 } : trace)}\n`
    })
    const path = await write('t.jsonl', lines)
    const { text, error } = await ab(path, '--json')
    expect(error).toBeNull()
    const [{ sampleRatio, treatments, fromCache }] = JSON.parse(text).experiments
    expect(fromCache).toBe(lines.filter(line => JSON.parse(line).cache === 'hit').length)
    expect((await ab(path)).text).toContain(`note: ${fromCache} answers came from the cache`)
    const lifts: { measure: string; lift: number }[] = treatments[0].lifts
    for (const { lift } of lifts.filter(({ measure }) => measure.endsWith('_seconds')))
      expect(Math.abs(lift)).toBeLessThan(0.2)
    // They are answers of their units all the same.
    expect(sampleRatio.p).toBeGreaterThan(0.001)
  })

  it('fails when the declared split is not the one that was seen', async () => {
    const path = await write('t.jsonl', traces(800))
    const { text, error } = await ab(path, '--share', '0.3')
    expect(error?.message).toBe('simulated=treatment: do not trust')
    expect(text).toContain('SAMPLE-RATIO MISMATCH')
  })

  it('fails when no request of the treatment was read, although there should be some', async () => {
    const controls = traces(400).filter(line => JSON.parse(line).assignment.variant === 'control')
    const { text, error } = await ab(await write('t.jsonl', controls))
    expect(text).toContain('SAMPLE-RATIO MISMATCH')
    expect(error?.message).toBe('simulated: do not trust: no request of a treatment was read')
  })

  it('refuses shares that leave nothing for the control', async () => {
    const others = traces(100).map(line => line.replace('"treatment"', '"other"').replace('"trace-', '"other-'))
    const { text, error } = await ab(await write('t.jsonl', [...traces(100), ...others]), '--share', '0.5')
    expect([text, error?.code]).toEqual(['', 'bad_request'])
    expect(error?.message).toMatch(/has 2 treatments, and a share of 0.5 for each leaves nothing for the control/)
  })

  it('leaves out the requests while an experiment was rolled back, and says how many', async () => {
    const rolledBack = decideWith(
      { 'stowage.experiment.simulated': { enabled: true, gets: 'treatment', variants: VARIANTS } },
      { isRolledBack: () => true },
    )
    const after = Array.from({ length: 300 }, (_, number) => {
      const session_id = `later-${number}`
      const { assignment } = rolledBack({ tenant: null, sessionId: session_id })
      return `${JSON.stringify(sampleTrace({ trace_id: `later-${number}`, session_id, assignment }))}\n`
    })
    const { text, error } = await ab(await write('t.jsonl', [...traces(1_200), ...after]))
    expect(error).toBeNull()
    expect(text).toContain('no sample-ratio mismatch')
    expect(text).toContain('note: left out: 300 requests while everyone got the control\n')
  })

  it('prints JSON that holds every figure', async () => {
    const path = await write('t.jsonl', traces(400))
    const { text } = await ab(path, '--json')
    const { experiments, shadows, broken } = JSON.parse(text)
    expect([experiments.length, shadows, broken]).toEqual([1, [], 0])
    expect(experiments[0].treatments[0].lifts.map(({ measure }: { measure: string }) => measure)).toEqual([
      'p50_seconds',
      'p95_seconds',
      'recall_proxy',
      'tokens',
    ])
  })

  it('reads the outcomes of a running server, with failures', async () => {
    const requests = simulatedRequests({ ...SESSIONS, share: 0.5 }, { ...NO_HARM, moreFailures: 0.2 }, seededRandom(4))
    const lines = Array.from({ length: 1_500 }, () => {
      const { unitId, recallProxy, ...outcome } = requests.next().value
      return `${JSON.stringify({ ...outcome, unit_id: unitId, recall_proxy: recallProxy })}\n`
    })
    const asked: string[] = []
    const get = async (url: string | URL | Request, init?: RequestInit) => {
      asked.push(`${url} ${JSON.stringify(init?.headers)}`)
      return new Response(String(url).endsWith('/outcomes') ? lines.join('') : '{"experiments":[{"experiment":"a b"}]}')
    }
    const out = new PassThrough()
    const program = new Command().exitOverride()
    addAbCommand(program, { out, progress: process.stderr, fetch: get as typeof fetch })
    const words = ['node', 'stowage', 'ab', '--url', 'http://stowage/', '--api-key', 'k']
    await expect(program.parseAsync(words)).rejects.toThrow('simulated=treatment: roll back')
    expect(asked).toEqual([
      'http://stowage/v1/experiments {"api-key":"k"}',
      'http://stowage/v1/experiments/a%20b/outcomes {"api-key":"k"}',
    ])
    expect(String(out.read())).toMatch(/failed share │ \d\.\d\d %/)
  })

  it.each([
    ['no source', [], 'bad_request', /name files of traces, or a server/],
    ['two sources', ['x', '--url', 'http://localhost:1'], 'bad_request', /name files of traces, or a server/],
    ['no such file', ['/no/such/file'], 'bad_request', /\/no\/such\/file: there is no such file/],
    ['a folder', [tmpdir()], 'bad_request', /is not a file/],
    ['a wrong share', ['x', '--share', '1'], 'commander.invalidArgument', /between 0 and 1/],
    ['a wrong time', ['x', '--since', 'soon'], 'commander.invalidArgument', /a time such as/],
    ['nobody there', ['--url', 'http://127.0.0.1:9'], 'upstream_unavailable', /127\.0\.0\.1:9\/v1\/experiments: /],
  ])('refuses %s', async (_case, words, code, message) => {
    const { error } = await ab(...words)
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
  })

  it('names the experiments that there are, and the first line that was not understood', async () => {
    const path = await write('t.jsonl', ['{}\n', ...traces(3)])
    expect((await ab(path, '--experiment', 'nothing')).error?.message).toMatch(
      /experiment nothing: .*there are simulated/,
    )
    const empty = await write('e.jsonl', ['{}\n'])
    expect((await ab(empty)).error?.message).toMatch(/1 line was read, 1 of them not understood \(.*e\.jsonl:1: /)
  })

  it('tells that the key must be one of an operator', async () => {
    const get = async () => new Response('{}', { status: 403 })
    const program = new Command().exitOverride()
    addAbCommand(program, { out: new PassThrough(), progress: process.stderr, fetch: get as typeof fetch })
    await expect(program.parseAsync(['node', 'stowage', 'ab', '--url', 'http://s'])).rejects.toThrow(
      'http://s/v1/experiments: the server answered 403; --api-key must be the key of an operator',
    )
  })
})
