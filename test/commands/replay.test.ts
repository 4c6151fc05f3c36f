import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Command } from 'commander'
import { beforeEach, describe, expect, it } from 'vitest'
import { addReplayCommand } from '../../src/commands/replay/replay.ts'
import type { ConsideredText } from '../../src/evaluation/metrics/measure-run.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { replayRun } from '../evaluation/support/golden.ts'
import { replayJsonSchema } from '../evaluation/support/replay-json.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let folder = ''
beforeEach(async () => {
  folder = temporaryFolder('replay')
  await mkdir(join(folder, 'tiny'))
  await writeFile(join(folder, 'tiny', 'corpus.jsonl'), '{"doc_id":"d","title":"D","text":"one two three four five"}')
  await writeFile(
    join(folder, 'tiny', 'queries.jsonl'),
    '{"id":"a","query":"?","gold":[{"doc_id":"d","start":0,"end":7}]}\n{"id":"b","query":"?","gold":[{"doc_id":"d"}]}',
  )
})

/** The only chunk of the set, which is packed at every budget and cut to it. */
const CHUNK: ConsideredText = {
  ...{ id: '1', docId: 'd', text: 'one two three four five', origin: 'retrieved', orderIndex: 0 },
  ...{ place: { start: 0, end: 23 }, reason: null, rank: 1, isCapped: false },
}

function bench() {
  const seen = {
    opened: 0,
    closed: 0,
    budgets: new Set<number>(),
    out: '',
    progress: '',
    packed: 'one two three four five',
    /** The plans that were asked. */
    plans: new Set<string>(),
  }
  const out = new PassThrough()
  const progress = new PassThrough() as unknown as NodeJS.WriteStream
  out.on('data', chunk => {
    seen.out += String(chunk)
  })
  progress.on('data', chunk => {
    seen.progress += String(chunk)
  })
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} })
  addReplayCommand(program, {
    plans: () => NAMED_PLANS,
    out,
    progress,
    openCollection: () => Promise.reject(new Error('not asked for')),
    open: async () => {
      seen.opened += 1
      return {
        embedder: null,
        reranker: null,
        countTokens: text => text.split(' ').length,
        prepare: async () => ({
          chunks: 1,
          embedder: null,
          run: async (_query, arm, budgets) =>
            budgets.map(budget => {
              seen.plans.add(arm.plan.name)
              seen.budgets.add(budget)
              return replayRun(seen.packed.split(' ').slice(0, budget).join(' '), { candidates: () => [CHUNK] })
            }),
          close: async () => {},
        }),
        openJudge: async () => ({
          name: 'judge-1',
          usage: { calls: 12, inputTokens: 340, outputTokens: 56 },
          judge: async (_question, context) =>
            context.includes('five')
              ? { faithfulness: 0.75, answerRelevance: 0.5, fault: null }
              : { faithfulness: null, answerRelevance: 0.25, fault: 'no JSON' },
        }),
        close: async () => {
          seen.closed += 1
        },
      }
    },
  })
  // Commander keeps the settings of a command from when it was added.
  for (const command of program.commands)
    command.exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} })
  const run = (...args: string[]) => program.parseAsync(['replay', ...args], { from: 'user' })
  return { seen, run }
}

describe('stowage replay', () => {
  it('prints a table, writes JSON, tells its progress apart from its output, and closes what it opened', async () => {
    const { seen, run } = bench()
    const json = join(folder, 'report.json')
    await run(join(folder, 'tiny'), '--budgets', '5, 2,5', '--arms', 'topk,measured', '--json', json)
    expect([...seen.budgets]).toEqual([2, 5])
    expect(seen).toMatchObject({ opened: 1, closed: 1 })
    expect(seen.out).toContain('tiny: 2 queries')
    expect(seen.out).toContain('measured against topk: unproven')
    expect(seen.progress).toContain('tiny: ask 2/2')
    expect(seen.out).not.toContain('ask 2/2')
    const report = JSON.parse(await readFile(json, 'utf8'))
    expect(report.budgets).toEqual([2, 5])
    expect(report.sets[0].queries.map((query: { id: string }) => query.id)).toEqual(['a', 'b'])
    expect(report.sets[0].queries[1].arms.topk['2']).toMatchObject({ measures: { recall: 0, tokens: 2 } })
  })

  it('explains where each arm loses answer recall, and names the questions that lose the most', async () => {
    const { seen, run } = bench()
    const json = join(folder, 'explained.json')
    const line = [join(folder, 'tiny'), '--budgets', '2,4,5', '--arms', 'topk,measured', '--json', json]
    await run(...line)
    expect(seen.out).not.toContain('losses of')
    expect(JSON.parse(await readFile(json, 'utf8')).losses).toBeUndefined()

    await run(...line, '--explain')
    expect(seen.out).toContain('losses of measured on tiny, by text and by place alike: 2 queries, 2 gold passages')
    expect(seen.out).toMatch(/larger than the budget +│ +50\.0 \(1\) │ +50\.0 \(1\) │ +0\.0 \(0\) │ +33\.3 │/u)
    expect(seen.out).toMatch(/found +│ +50\.0 \(1\) │ +50\.0 \(1\) │ +100\.0 \(2\) │ +66\.7 │/u)
    expect(seen.out).toContain('66.7  tiny/b: ?')
    expect(seen.out).toContain('gold 1 "one two three four five": at 2, 4 larger than the budget (1, rank 1, packed)')
    const report = replayJsonSchema.parse(JSON.parse(await readFile(json, 'utf8')))
    expect(report.losses?.budget).toHaveLength(2 * 2 * 4)
    expect(report.losses?.worst.map(({ arm, id }) => `${arm} ${id}`)).toEqual(['topk b', 'measured b'])
    expect(report.sets[0]?.queries[0]?.arms.topk?.['2']?.loss?.text.golds).toEqual([
      { step: 'found', share: 1, holder: { id: '1', docId: 'd', reason: null, rank: 1 } },
    ])
  })

  it.each([
    [['--explain', '--tune'], /--tune does not read --explain; read by: a comparison of arms/],
    [['--explain', '--ablate'], /--ablate does not read --explain/],
    [['--tune', '--json', 'some.json'], /--tune does not read --json; read by: .*--gate/],
    [['--tune', '--ablate'], /--tune does not read --ablate/],
    [['--tune', '--limit-queries', '5'], /--tune does not read --limit-queries/],
    [['--write', 'plan.json'], /a comparison of arms does not read --write; read by: --tune/],
    [['--rules', 'dedupe'], /a comparison of arms does not read --rules; read by: --ablate/],
    [['--ablate', '--arm', 'tuned=topk'], /--ablate does not read --arm;/],
    [['--ablate', '--against', 'topk'], /--ablate does not read --against;/],
    [['--explain', '--gate', 'some.json'], /--gate does not read --explain/],
    [['--gate', 'some.json', '--update-baseline', 'other.json'], /--gate does not read --update-baseline/],
    [['--update-baseline', 'some.json', '--json', 'some.json'], /--update-baseline does not read --json/],
    [['--update-baseline', 'some.json', '--arm', 'a=topk', '--arm', 'b=measured'], /give one arm, and not a server/],
    [['--explain', '--arm', 'a=http://host'], /--explain needs an arm that runs in this process/],
    [['--budgets', '0'], /at least 1/],
    [['--budgets', 'many'], /at least 1, got "many"/],
    [['--budgets', ''], /at least 1/],
    [['--chunk-tokens', '1.5'], /at least 1, got "1.5"/],
    [['--limit-queries', '-3'], /at least 1, got "-3"/],
    [['--arms', 'nobody'], /no arm is called nobody/],
    [['--server-keys', 'no-such.json'], /--server-keys no-such.json: ENOENT/],
    [['--tune', '--tune-values', 'packing.mod'], /--tune-values: unknown value packing.mod; did you mean packing.mode/],
    [['--tune', '--arms', 'topk,measured'], /give one arm, and not a server/],
    [['--tune', '--arm', 'a=http://host'], /give one arm, and not a server/],
    [['--tune', '--write', 'package.json'], /--write package.json: is there already; --force replaces it/],
    [['--measure', 'faithfulness'], /--measure faithfulness needs --judge$/],
    [['--tune', '--measure', 'answer_relevance'], /answer_relevance comes from a judge, which --tune does not ask/],
    [['--tune', '--trials', '0'], /from 1 to 10000/],
    [['--arm', 'nobody'], /--arm nobody: write NAME=SPEC/],
    [['--arm', 'tuned=no-such.json'], /plan file no-such.json: cannot be read: ENOENT/],
    [['--arm', 'a=topk', '--arm', 'a=measured'], /arm a is given twice/],
    [['--arm', 'a=topk', '--against', 'topk'], /--against topk is not among the arms: a/],
    [['--arms', 'measured:packing.cutt=1'], /unknown plan value packing.cutt/],
    [['--json', 'no-such-folder/report.json'], /there is no folder no-such-folder/],
    [['--against', 'design', '--arms', 'topk'], /--against design is not among the arms: topk/],
  ])('refuses %j before it opens anything', async (flags, message) => {
    const { seen, run } = bench()
    await expect(run(join(folder, 'tiny'), ...flags)).rejects.toThrow(message)
    expect(seen.opened).toBe(0)
  })

  it.each(['report=a.html', 'report-budget=5', 'tune', 'ablate', 'against=topk', 'by=intent', 'measure=covered'])(
    'refuses --%s for a gate, which does not read it',
    async option => {
      const { run } = bench()
      const message = `--gate does not read --${option.replace(/=.*/, '')};`
      await expect(run('--gate', 'some.json', `--${option}`)).rejects.toThrow(message)
    },
  )

  it('asks the judge about the contexts of one budget, and tells what that took', async () => {
    const { seen, run } = bench()
    const json = join(folder, 'judged.json')
    const line = [join(folder, 'tiny'), '--budgets', '2,4,5', '--arms', 'topk', '--json', json]
    const judgedAt = async (...options: string[]) => {
      await run(...line, '--judge', ...options)
      const { measures } = JSON.parse(await readFile(json, 'utf8')).sets[0].queries[0].arms.topk['5']
      return [measures.faithfulness, measures.answer_relevance]
    }
    expect(await judgedAt('--judge-budget', '5')).toEqual([0.75, 0.5])
    expect(seen.progress).toContain('judge judge-1 at 5 tokens: 12 calls, 340 tokens in, 56 out\n')
    expect(seen.out).toContain('faithfulness')
    expect(await judgedAt()).toEqual([null, null])
    expect(seen.progress).toContain(
      'judge judge-1 at 4 tokens: 12 calls, 340 tokens in, 56 out; 2 runs lack a figure, the first: no JSON',
    )
    await expect(run(...line, '--judge', '--judge-budget', '3')).rejects.toThrow(
      '--judge-budget 3 is not among the budgets: 2, 4, 5',
    )
  })

  it('gates on a baseline: nothing thrown when it holds, a failure when it does not, wrong use for another setup', async () => {
    const { seen, run } = bench()
    const baseline = join(folder, 'baseline.json')
    const set = join(folder, 'tiny')
    const queries = Array.from({ length: 9 }, (_, at) => `{"id":"q${at}","query":"${at}?","gold":[{"doc_id":"d"}]}`)
    await writeFile(join(set, 'queries.jsonl'), queries.join('\n'))
    await expect(run('--gate', baseline)).rejects.toMatchObject({ code: 'bad_request', message: /no such file/ })
    await expect(run('--update-baseline', baseline)).rejects.toMatchObject({ code: 'bad_request' })
    expect(seen.opened).toBe(0)

    await run(set, '--update-baseline', baseline, '--budgets', '5,6')
    expect(seen.out).toContain(`baseline ${baseline}: 9 queries`)
    await run('--gate', baseline)
    expect(seen.out).toContain('gate passed')

    await run('--gate', baseline, '--arm', 'measured=design')
    expect([...seen.plans].at(-1)).toBe('design')
    await expect(run('--gate', baseline, '--arm', 'broken=topk')).rejects.toThrow('arm: "measured" in the baseline')

    const ofMine = join(folder, 'mine.json')
    await run(join(folder, 'tiny'), '--budgets', '5', '--arm', 'mine=topk', '--update-baseline', ofMine)
    for (const option of ['--gate', '--update-baseline'])
      await expect(run(option, ofMine)).rejects.toThrow(
        `baseline ${ofMine} was made with --arm mine=…, and does not keep its plan: give the same --arm mine=…`,
      )
    await run('--gate', ofMine, '--arm', 'mine=topk')

    seen.packed = 'one two'
    const markdown = join(folder, 'gate.md')
    const failure = await run('--gate', baseline, '--markdown', markdown).catch(error => error)
    expect(failure.message).toMatch(/gate failed: answer recall at 5 tokens is worse/)
    expect(failure).not.toHaveProperty('code')
    expect(seen.out).toContain('tiny/q0: 100.0 → 0.0')
    expect(await readFile(markdown, 'utf8')).toContain('q0')

    const others = [
      ['--budgets', '7'],
      ['--chunk-tokens', '50'],
      ['--limit-queries', '3'],
      ['--chunking', 'parent-child'],
    ]
    seen.budgets.clear()
    for (const other of others)
      await expect(run('--gate', baseline, ...other)).rejects.toMatchObject({ code: 'bad_request' })
    await writeFile(join(set, 'queries.jsonl'), queries.slice(1).join('\n'))
    await expect(run('--gate', baseline)).rejects.toMatchObject({ code: 'bad_request' })
    // Not a single question was asked for a setup that cannot be compared.
    expect([...seen.budgets]).toEqual([])
  })

  it('takes --arm alone in the place of the default arms, and compares with the first', async () => {
    const { seen, run } = bench()
    await run(join(folder, 'tiny'), '--budgets', '5', '--arm', 'one=design', '--arm', 'two=measured')
    expect(seen.out).toContain('two against one: unproven')
    expect(seen.out).not.toContain('baseline')
    await run(join(folder, 'tiny'), '--budgets', '5', '--arms', 'topk', '--arm', 'two=measured')
    expect(seen.out).toContain('two against topk: unproven')
  })

  it('refuses a set that is given twice, and two sets of one name', async () => {
    const { seen, run } = bench()
    const set = join(folder, 'tiny')
    const copy = join(folder, 'copy')
    await cp(set, copy, { recursive: true })
    for (const twice of [
      [set, set],
      [set, `${set}/`],
      [set, copy],
    ])
      await expect(run(...twice)).rejects.toThrow(/have the same questions, gold passages and documents: leave one out/)
    const other = join(folder, 'other', 'tiny')
    await cp(set, other, { recursive: true })
    await writeFile(join(other, 'queries.jsonl'), '{"id":"a","query":"another?","gold":[{"doc_id":"d"}]}')
    const baseline = join(folder, 'baseline.json')
    for (const options of [[], ['--update-baseline', baseline], ['--ablate'], ['--tune']])
      await expect(run(set, other, ...options)).rejects.toThrow(`${set} and ${other} are both called tiny`)
    expect(seen.opened).toBe(0)
    expect(existsSync(baseline)).toBe(false)
  })

  it('warns of spans that the line ends of a file can shift', async () => {
    const { seen, run } = bench()
    const set = join(folder, 'windows')
    await mkdir(join(set, 'corpus'), { recursive: true })
    await writeFile(join(set, 'corpus', 'd.md'), '# D\r\n\r\none two three\r\n')
    await writeFile(join(set, 'queries.jsonl'), '{"id":"a","query":"?","gold":[{"doc_id":"d","start":5,"end":12}]}')
    await run(set, '--budgets', '5', '--arms', 'topk')
    expect(seen.progress).toContain('warning: windows: 1 spans without `text` in files with CRLF')
  })

  it('names the folders where it looked for a set', async () => {
    const { run } = bench()
    await expect(run('no-such-set')).rejects.toThrow(
      /no golden set no-such-set: looked for goldens.no-such-set, .*, no-such-set/,
    )
    await expect(run('../no-such-set')).rejects.toThrow(/looked for \.\..no-such-set$/)
    await expect(run()).rejects.toThrow(/missing required argument/)
  })
})
