import { describe, expect, it } from 'vitest'
import { finish } from '../../../src/core/steps.ts'
import { outlineOf } from '../../../src/pack/repetition/outline.ts'

/** Each sentence with the one that it cannot be read without; null for none. */
function leads(text: string): [sentence: string, lead: string | null][] {
  const sentences = finish(outlineOf(text))
  const show = (place: number) => {
    const sentence = sentences[place]
    return sentence === undefined ? null : text.slice(sentence.start, sentence.end).trim()
  }
  return sentences.map(({ lead }, place) => [show(place) ?? '', show(lead)])
}

describe('a sentence depends on', () => {
  it('the line before its list, and an item of a nested list on the item above', () => {
    const text = 'Bring these:\n\n- a lamp\n- tools:\n  - a key\n  - a rope\n- bread\n\nThe bell rings.'
    expect(leads(text)).toEqual([
      ['Bring these:', null],
      ['- a lamp', 'Bring these:'],
      ['- tools:', 'Bring these:'],
      ['- a key', '- tools:'],
      ['- a rope', '- tools:'],
      ['- bread', 'Bring these:'],
      ['The bell rings.', null],
    ])
  })

  it('the head of its table', () => {
    expect(leads('The watches:\n\n| Watch | From |\n|---|---|\n| dawn | 1 |\n| noon | 4 |\n')).toEqual([
      ['The watches:', null],
      ['| Watch | From |', 'The watches:'],
      ['|---|---|', '| Watch | From |'],
      ['| dawn | 1 |', '|---|---|'],
      ['| noon | 4 |', '|---|---|'],
    ])
  })

  it('the head of its table that is drawn with signs, and no row where a rule stands below each', () => {
    const [rule, names, first, second] = ['+---+---+', '| Watch | From |', '| dawn | 1 |', '| noon | 4 |']
    expect(leads(`${rule}\n${names}\n${rule}\n${first}\n${second}\n${rule}\n`)).toEqual([
      [`${rule}\n${names}`, null],
      [rule, `${rule}\n${names}`],
      [first, rule],
      [`${second}\n${rule}`, rule],
    ])
    const rows = [first, second, '| night | 9 |'].flatMap(row => [row, rule])
    expect(leads([rule, ...rows, ''].join('\n')).map(([, lead]) => lead)).toEqual(rows.map(() => null).concat(null))
  })

  it('the line with a colon before a code block', () => {
    expect(leads('Run this:\n\n```sh\nbell --ring\n```\n')).toEqual([
      ['Run this:', null],
      ['```sh\nbell --ring\n```', 'Run this:'],
    ])
  })

  it('the term or the question before it, until the next one or a heading', () => {
    const text =
      'gate.width\n\n> Read by: warden.\n>\n> In feet.\n\nWho opens it?\n\nThe warden.\n\nAt dawn only.\n\n- with a key\n\n# Locks\n\nRead by: warden.\n'
    expect(leads(text)).toEqual([
      ['gate.width', null],
      ['> Read by: warden.', 'gate.width'],
      ['>', 'gate.width'],
      ['> In feet.', 'gate.width'],
      ['Who opens it?', null],
      ['The warden.', 'Who opens it?'],
      ['At dawn only.', 'Who opens it?'],
      ['- with a key', 'At dawn only.'],
      ['# Locks', null],
      ['Read by: warden.', null],
    ])
  })

  it.each([
    ['The gate is heavy.', 'It needs two hands.'],
    ['Das Tor ist schwer.', 'Es braucht zwei Personen.'],
    ['La porte est lourde.', 'Elle demande deux personnes.'],
    ['この扉は重いです。', 'その鍵は机にあります。'],
  ])('the sentence that it refers to: %s %s', (before, sentence) => {
    expect(leads(`${before} ${sentence}`)).toEqual([
      [before, null],
      [sentence, before],
    ])
    expect(leads(`${before}\n\n${sentence}`)[1]).toEqual([sentence, null])
  })
})

it('has no outline when it is not known what is code', () => {
  expect(finish(outlineOf('end of a block\n```\nThe bell rings at noon.'))).toEqual([])
})

it('says under which headings a sentence stands', () => {
  const sentences = finish(outlineOf('# A\n## B\nOne text.\n## C\nOther text.\n# D\nLast text.'))
  expect(sentences.map(({ heading }) => heading)).toEqual([-1, 0, 1, 0, 3, -1, 5])
})

it('ends a table at an empty line', () => {
  const table = '| Watch | From |\n|---|---|\n| dawn | 1 |\n'
  expect(leads(`${table}\n${table}`)[3]).toEqual(['| Watch | From |', null])
})

it('keeps marks behind a sentence with it', () => {
  const text = '**Never lift the gate!** The bell rings. **Wait.**\n'
  expect(leads(text).map(([sentence]) => sentence)).toEqual([
    '**Never lift the gate!**',
    'The bell rings.',
    '**Wait.**',
  ])
})
