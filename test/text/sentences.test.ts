import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isUnderlinedTitle } from '../../src/text/sentences/line-forms.ts'
import { splitSentences } from '../../src/text/sentences/sentences.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'

const sentences = (text: string): string[] => splitSentences(text).map(sentence => sentence.text)

describe('sentences', () => {
  it('keep abbreviations and numbers whole', () => {
    expect(sentences('Dr. Smith saw Fig. 3. It was 1.2 m high! See e.g. J. Doe. Why?')).toEqual([
      'Dr. Smith saw Fig. 3. ',
      'It was 1.2 m high! ',
      'See e.g. J. Doe. ',
      'Why?',
    ])
  })

  it.each([
    ['Art. 5 GDPR applies to controllers under Art. 28 (3) as well.'],
    ['The contract ends on Sept. 3, 2020.'],
    ['The U.S. Army bought it.'],
    ['Open Mon. to Fri. from 9 a.m. Pacific Time.'],
    ['Sold by Acme Corp. Ltd. ', 'The price is low.'],
    ['It closes at 5 p.m. ', 'After that, ring the bell.'],
  ])('end behind an abbreviation only where a sentence begins: %s', (...expected) => {
    expect(sentences(expected.join(''))).toEqual(expected)
  })

  it('go on behind a question or a call that they quote', () => {
    const quoting = [
      'Type "who is there?" in the box and press enter. ',
      '“Are you sure?” asks the page. ',
      'Other signs (‘*?’) should stand in a table. ',
      'Use patterns (with ? and *) for the names. ',
      'Who asked “why?” ',
      'He left.',
    ]
    expect(sentences(quoting.join(''))).toEqual(quoting)
  })

  it('go on in the next line behind their first word', () => {
    const parts = ['> Which are safe. ', 'See\n> [Ajv](ajv) and others.\n', '> The next.\n', 'Dr. No\n', 'Left']
    expect(sentences(parts.join(''))).toEqual(parts)
  })

  it('begin with the number of their clause', () => {
    const parts = [
      '8.2. If it ends, so does this. ',
      'Section 9.1. is open, and so are 3. and 4. ',
      'The rest holds.\n\n',
      'III. Terms hold.\n\n',
      'ii. The pump stands.\n\n',
      '§ 4. The cask leaks.\n\n',
      '5\\. The tap drips. ',
      'It is old.\n\n',
      '\\(6\\) The lid shuts.\n\n',
      '> 7\\. The key turns.\n\n',
      '> 8. The door opens.\n\n',
      '2.3.\n\n',
      'It stood in 1933. ',
      'Then it fell.',
    ]
    expect(sentences(parts.join(''))).toEqual(parts)
  })

  it('are whole blocks of fenced code, also in an item of a list and behind a blank line in the code', () => {
    const parts = [
      '10. Stop the pump first\n\n',
      '    ```sh\n    # no water may flow\n\n    pump stop\n\n    fi\n    ```\n\n',
      '11. Open the lid\n',
      '\t~~~\n\tlid open\n',
      'The lid is open.\n\n',
      '```sh\nif up\n\nfi\n```\n',
      'The pump runs.',
    ]
    expect(sentences(parts.join(''))).toEqual(parts)
  })

  it('are the rows of a table, also without outer pipes and in an item of a list', () => {
    const parts = [
      'these are the sizes:\n\n',
      'Part | Size \\| mass\n',
      '--- | ---\n',
      'bolt one | 10\n',
      'and nut | 20\n\n',
      'a pipe | is no table\nwithout delimiters.\n\n',
      '1. Sizes\n\n',
      '    | Part | Size |\n',
      '    | :-- | --: |\n',
      '    | bolt | 10 |\n',
    ]
    const found = splitSentences(parts.join(''))
    expect(found.map(({ text }) => text)).toEqual(parts)
    const kinds = ['text', 'row', 'row', 'row', 'row', 'text', 'text', 'row', 'row', 'row']
    expect(found.map(({ kind }) => kind)).toEqual(kinds)
  })

  it.each([
    ['Use :mod:`importlib.resources`,\n:pypi:`importlib_metadata`) and no other. '],
    ['This can be disabled by passing\n{any}`--no-deps` to it. '],
    ['The name of the port', '\n:param port: a number'],
  ])('go on in the next line behind a role: %s', (...expected) => {
    expect(sentences(expected.join('')).map(one => one.trim())).toEqual(expected.map(one => one.trim()))
  })

  it('go on in the next line of a quotation, as outside of it', () => {
    expect(sentences('> Patterns are in this mode,\n> regardless of others.\n> `dot` is one\n')).toEqual([
      '> Patterns are in this mode,\n> regardless of others.\n',
      '> `dot` is one\n',
    ])
    expect(sentences('> - one\n> - two goes\n> on here\n> # Title\n> > deeper\n> text\n')).toEqual([
      '> - one\n',
      '> - two goes\n> on here\n',
      '> # Title\n',
      '> > deeper\n',
      '> text\n',
    ])
    const wrapped = [
      'The basin holds the water of four locks in summer, and the',
      'Harbour Office empties it in winter, when the crews of the',
      'Northern Canal clean it. Nobody sails until the water of the',
      'Lower Quay is high enough.',
    ]
    expect(sentences(wrapped.map(line => `> ${line}\n`).join(''))).toEqual([
      `> ${wrapped[0]}\n> ${wrapped[1]}\n> Northern Canal clean it. `,
      `Nobody sails until the water of the\n> ${wrapped[3]}\n`,
    ])
  })

  it('end at line breaks, except in wrapped prose', () => {
    expect(sentences('One line\nAnother line\nthat is wrapped. Third.\n\n\nafter a gap')).toEqual([
      'One line\n',
      'Another line\nthat is wrapped. ',
      'Third.\n\n\n',
      'after a gap',
    ])
  })

  it('go on over the line breaks of a filled paragraph, also before a capital, a number or a code span', () => {
    const wrapped = [
      'Previously, with languages like Perl or the first releases of PHP or\n',
      'Python, a server was run by a process manager, and requests came over\n',
      '`FastCGI` to one of its workers. The number of workers was set to about\n',
      '16 for each core.\n',
    ].join('')
    expect(sentences(wrapped)).toEqual([
      wrapped.slice(0, wrapped.indexOf('The number')),
      wrapped.slice(wrapped.indexOf('The number')),
    ])
    const [first, second] = sentences(wrapped)
    expect(sentences(`Short.\n\n${wrapped}`)).toEqual(['Short.\n\n', first, second])
    const item =
      '- `limit`: the largest body, in bytes, that is read. If not set, it will be\n  `Infinity` for requests of the\n'
    expect(sentences(`${item}\n`)).toEqual([`${item}\n`])
  })

  it.each(['[the guide](guide.md)', '`close()`', '*all* of them', '**never**', '_no_ rule', '[`open`](a) it'])(
    'go on over the line break before %s',
    next => {
      const text = `To change it, see\n${next} there.\n`
      expect(sentences(`Short.\n\n${text}`)).toEqual(['Short.\n\n', text])
    },
  )

  it.each(['[The guide](guide.md)', '"key": 1', '{', '**Never**'])('end at the line break before %s', next => {
    expect(sentences(`Short.\n\nTo change it\n${next} there.\n`)).toHaveLength(3)
  })

  it('end at the line breaks of a list without marks', () => {
    const lines = [
      'Identify edge cases where your prompt might falter\n',
      'Rate individual results to determine cases where your prompt performed better or worse\n',
      'Ensure consistent performance across a range of inputs\n',
      'Refine your prompt for better reliability',
    ]
    expect(sentences(lines.join(''))).toEqual(lines)
  })

  it('are whole headings, items, rows and code blocks', () => {
    const parts = [
      '# Setup. And more\n\n',
      '- first. Of all\n',
      '2. second\n  item wrapped\n',
      '| a. B | c |\n',
      '|---|---|\n\n',
      '```sh\nrun. Now\n\n# no heading\n```\n',
      'Done.',
    ]
    expect(sentences(parts.join(''))).toEqual(parts)
  })

  it('keep a code block whole up to the line that closes it', () => {
    const parts = [
      '```\none. Two\n```js\nthree. Four\n````\n',
      'Prose. ',
      'After it.\n',
      '```no fence``` but. ',
      'Code.',
    ]
    expect(sentences(parts.join(''))).toEqual(parts)
  })

  it('are found in linear time among lines of one paragraph', () => {
    const text = 'bell\n'.repeat(65_000)
    expect(
      splitSentences(text)
        .map(({ text }) => text)
        .join(''),
    ).toBe(text)
  })

  it('are titles with the lines below and above them, in Markdown and reStructuredText', () => {
    const parts = [
      'First. ',
      'Second.\n\n',
      'Setup. And more\n---\n',
      'lower. ',
      'Upper.\n\n',
      '=====\nPumps\n=====\n\n',
      '5. Termination\n--------------\n\n',
      'Pumps and casks\n\\~~~~~~~~~~~~~~~\n\n',
      'Of the pumps\nthere are two.\n',
    ]
    expect(sentences(parts.join(''))).toEqual(parts)
    const titles = parts.filter(isUnderlinedTitle)
    expect(titles.map(title => title.split('\n').length)).toEqual([3, 5, 4, 4])
  })

  it.each([
    ['the start of code', 'For example, run:\n~~~\nrun. Now\n~~~\n', 2],
    ['a line in a paragraph', 'It ends.\nNot a title\n-----------\nbut more. End.\n', 4],
    ['a table', 'Name   Age\n====== ====\nPump   12\n', 3],
    ['signs of other kinds', 'Not a title\n-=-=-=-=-=-\nof this.\n', 2],
  ])('are no titles because of %s', (_, text, count) => {
    const found = sentences(text)
    expect(found).toHaveLength(count)
    expect(found.some(isUnderlinedTitle)).toBe(false)
  })

  it('go on over the points of a relative path', () => {
    const text = 'See [the options](./Routes.md#routes-options). When set, it wins. Or [this](../Up/Here.md) one.'
    expect(sentences(text)).toEqual([
      'See [the options](./Routes.md#routes-options). ',
      'When set, it wins. ',
      'Or [this](../Up/Here.md) one.',
    ])
  })

  it('go on within an address, a link and a command', () => {
    const parts = [
      'See https://a.example/x.png?size=2&b=1 and `#!/bin/sh`. ',
      'Read [why?](#why) and ![it works!](a.png?raw=true) first. ',
      'Is it in C:\\a!b?c or not? ',
      'It is.',
    ]
    expect(sentences(parts.join(''))).toEqual(parts)
  })

  it('end behind a question without white space before a capital', () => {
    expect(sentences('Who asks?Nobody does.')).toEqual(['Who asks?', 'Nobody does.'])
  })

  it('end behind footnotes, not before them', () => {
    const parts = ['It ended in 1918.[1] ', 'It began in 1914.[2][13, 14] ', 'Did it?[3] ', 'Yes [5] it did.']
    expect(sentences(parts.join(''))).toEqual(parts)
  })

  it('end behind the marks that close them, not before them', () => {
    const parts = [
      '**Never do that!** ',
      '_Is it so?_ ',
      'Then *it* is. ',
      '**Keel.** The spine of a ship, or `?` in a code.',
    ]
    expect(sentences(parts.join(''))).toEqual(parts)
  })

  it('are found in Chinese and Japanese', () => {
    expect(sentences('東京は首都です。人口は多い。')).toEqual(['東京は首都です。', '人口は多い。'])
    expect(sentences('首都は?東京です!人口は多い。')).toEqual(['首都は?', '東京です!', '人口は多い。'])
  })

  const pieces = fc.constantFrom(
    ...[
      'A b. ',
      'c d\n',
      '\n',
      '# h\n',
      '- i\n',
      '```\n',
      '~~~\n',
      '====\n',
      'T\n----\n',
      '| r |\n',
      'Dr. ',
      '  ',
      '。',
      'x'.repeat(1_999),
      '😀',
      '\ud83d',
    ],
    '\r\n',
  )
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(pieces).map(found => found.join('')),
    fc.constantFrom(...HOSTILE_TEXTS),
  )

  it('cover any text, with correct offsets, and none of several is blank', () => {
    fc.assert(
      fc.property(texts, text => {
        const found = splitSentences(text)
        expect(found.map(sentence => sentence.text).join('') === text).toBe(true)
        for (const { text: part, start, end } of found) expect(text.slice(start, end) === part).toBe(true)
        if (found.length > 1) expect(found.every(sentence => sentence.text.trim() !== '')).toBe(true)
        if (text.isWellFormed()) expect(found.every(sentence => sentence.text.isWellFormed())).toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})

describe('splitSentences, wrapped lines of different lengths', () => {
  it.each([
    'They are ready. Although\n`/ping` says so, they wait for a long time.',
    'The methods are `GET`,\n`PUT` and `POST`.',
  ])('go on with code: %s', text => {
    const last = text.includes('. ') ? text.slice(text.indexOf('. ') + 2) : text
    expect(sentences(text).at(-1)).toBe(last)
  })

  it.each([
    '`--help` Shows this\n`--version` Shows the version',
    'What it is made for\nPumps of the harbour',
    'Vitamin A\nVitamin B',
  ])('are apart where each is an entry: %s', text => expect(sentences(text)).toHaveLength(2))
})

describe('splitSentences, lines that go on', () => {
  it.each([
    'It reads all formats, e.g.\nthe old one.',
    'It reads pictures (drawings, scans, etc.)\nand texts.',
    'It was measured by Reed et al.\nin the old basin.',
    '- Old formats, i.e.\n  those of the harbour.',
    '> Ropes vs.\n> chains.',
    'Ask the office of Acme Corp.\nfor a key.',
  ])('behind an abbreviation: %s', text => expect(sentences(text)).toEqual([text]))

  it.each([
    'Give the name of the ship to the function that\nWerkzeug provides.',
    'The papers lie in the office of the\n[Harbour](harbour.md).',
    'Das Schiff liegt an der Boje und\nWarten ist nicht nötig.',
    'Le navire est dans le bassin de la\nGironde.',
    'El barco está en el puerto de\nCádiz.',
  ])('behind a word that needs another one: %s', text => expect(sentences(text)).toEqual([text]))

  it.each([
    ['start the pump.\n', 'open the lid.'],
    ['It reads ropes, chains, etc.\n', 'The rest is left.'],
    ['Click here to log in\n', 'Register'],
    ['What happens when lions and tigers die\n', 'Lions of the sea'],
    ['Keep the\n', 'Of the\n', 'Or'],
    ['Rose Lane 4\n', 'Port of Reed\n', 'Harbour Office'],
    ['船停在港口 the\n', '水位很高'],
    ['- Give the name of the\n', '- Ship'],
  ])('but not where an entry or a sentence begins: %s', (...parts) => expect(sentences(parts.join(''))).toEqual(parts))

  it('go on behind an abbreviation in a filled paragraph, also before a capital or a number', () => {
    const text =
      'The basin holds the water of four locks in summer, as seen in Fig.\n3, and the crews of the Northern Canal clean it in winter with\nthe pumps.'
    expect(sentences(text)).toEqual([text])
  })
})

describe('splitSentences, paragraphs in bold', () => {
  it.each(['**Table 2.2. Depths of the basins**', '__Note. Read this. Twice!__', '**a_b* c. Then d.**'])(
    'keeps %s whole',
    bold => {
      const text = `Before it.\n\n${bold}\n\nAfter it. And more.`
      expect(splitSentences(text).map(sentence => sentence.text.trim())).toContain(bold)
    },
  )

  it('goes on in a paragraph with a line in bold, and cuts one with two bold terms', () => {
    expect(splitSentences('Open the\n**upper gate**\nat dawn.')).toHaveLength(1)
    expect(splitSentences('**One** is open. The other is **not.**')).toHaveLength(2)
  })
})
