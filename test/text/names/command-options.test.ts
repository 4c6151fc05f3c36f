import { describe, expect, it } from 'vitest'
import { finish } from '../../../src/core/steps.ts'
import { namedEntries } from '../../../src/rank/answerability/named-entries.ts'
import { askedOptions, optionsOf } from '../../../src/text/names/command-options.ts'

const isFound = (query: string, text: string) => finish(namedEntries(query, [{ place: '', text }]))[0]

describe('options that a line explains', () => {
  it.each([
    ['     -J destination', ['-J']],
    ['  -f, --filename strings   Files with the -k of the kustomization.', ['-f', '--filename']],
    ['      --force              Asks nothing', ['--force']],
    ['#### **--author**, **-a**=*author*', ['--author', '-a']],
    ['- `--no-color`: no colours, as with --plain', ['--no-color']],
    ['| `-q`, `--quiet` | | Says less than --silent |', ['-q', '--quiet']],
    ['- `-alertmanager.url` is gone', ['-alertmanager.url']],
    ['\\-\\-jump=HOST', ['--jump']],
    ['-n <number>:: how many, see --all', ['-n']],
    ['-L', ['-L']],
    ['Use --force for that.', []],
    ['- Use --force for that.', []],
    ['---', []],
    ['-5 degrees', []],
    ['', []],
  ])('of %j', (line, options) => {
    expect(optionsOf(line)).toEqual(options)
  })

  it('of a line of 100 kB end with its beginning', () => {
    expect(optionsOf(`${'-a, '.repeat(30_000)}`).length).toBeLessThan(50)
    expect(optionsOf('-'.repeat(100_000))).toEqual([])
  })
})

describe('options that a question asks for', () => {
  it.each([
    ['What does ssh -J do?', ['-J']],
    ['docker run --rm and --detach.', ['--rm', '--detach']],
    ['the option `jump` of ssh', ['-jump', '--jump']],
    ['What does the verbose flag do?', ['-verbose', '--verbose']],
    ['use dry-run', ['-dry-run', '--dry-run']],
    ['a well-known Anglo-Saxon', ['-well-known', '--well-known']],
    ['How do I open the gate - or close it?', []],
    ['rows 4-8', []],
  ])('in %j', (question, options) => {
    expect(askedOptions(question)).toEqual(options)
  })

  it('are entries of passages, by their case and as a whole', () => {
    const manual = 'OPTIONS\n     -J destination\n             Connects to the destination first.\n'
    expect(isFound('What does ssh -J do?', manual)).toBe(true)
    expect(isFound('What does ssh -j do?', manual)).toBe(false)
    expect(isFound('What does ssh --J do?', manual)).toBe(false)
    const fenced = '```\n  -f, --filename strings   The files\n      --file string        One file\n```'
    expect(isFound('kubectl apply --filename', fenced)).toBe(true)
    expect(isFound('kubectl apply --files', fenced)).toBe(false)
    expect(isFound('kubectl apply --filename', 'Give --filename its files.')).toBe(false)
  })
})
