import { describe, expect, it } from 'vitest'
import { readSections } from '../../src/ingest/chunking/sections.ts'

const pathsOf = (text: string, isPlain: boolean): string[] => readSections(text, isPlain).map(({ path }) => path)

describe('readSections, lines with # in a .txt file', () => {
  const manual = [
    'Gate service',
    '============',
    '',
    'The service reads its settings once. For example:',
    '',
    '# the gate closes at this height',
    'close_at = 4.2',
    '',
    '# equal to: open_at = 3.9',
    'open_at = default',
    '',
    'Restart',
    '-------',
    '',
    'Run this as root:',
    '',
    ' # service gate restart',
    '',
    'The gate stays closed for a minute.',
  ].join('\n')

  it('are comments and prompts beside underlined titles', () => {
    expect(pathsOf(manual, true)).toEqual(['Gate service', 'Gate service > Restart'])
  })

  it('are comments when code follows without a blank line', () => {
    const settings = '# how often\ninterval = 5\n\n# how long\ntimeout = 9\n\n# see below\n\n#\nlevel = 1\n'
    expect(pathsOf(settings, true)).toEqual([''])
    expect(pathsOf(settings, false)).toEqual(['how often', 'how long', 'see below', ''])
  })

  it.each(['\n', '\r\n'])('are headings when most of them stand alone, with the line end %j', end => {
    const guide =
      '# Gates\n\nThey close.\n\n## Set up\n\nInstall it.\n\n```sh\n# as root\n```\n\n### Notes\nRead them.\n\n# Help\n'
    const paths = ['Gates', 'Gates > Set up', 'Gates > Set up > Notes', 'Help']
    expect(pathsOf(guide.replaceAll('\n', end), true)).toEqual(paths)
  })

  it('stay headings around code with signs of equality, and lists of a wiki take no titles', () => {
    const code = '```\n\n== One\n\ntext\n\n== Two\n\ntext\n```'
    expect(pathsOf(`# Gates\n\n## Set up\n\nSo:\n\n${code}\n\n## Help\n\nAsk.\n`, true)).toEqual([
      'Gates',
      'Gates > Set up',
      'Gates > Help',
    ])
    const wiki = '== Gates ==\n# open\n# close\n# wait\n== Help ==\nAsk.\n'
    expect(pathsOf(wiki, true)).toEqual(['Gates', 'Help'])
  })

  it('keep all their text when they are no headings', () => {
    expect(
      readSections(manual, true).flatMap(({ blocks }) => blocks.map(({ start, end }) => manual.slice(start, end))),
    ).toContain('# equal to: open_at = 3.9\nopen_at = default')
  })
})

describe('readSections, the head of a table above a line of hyphens', () => {
  const table =
    'No.    Name        Price\n------------------------\n10-1   Rope M6     12.40\n10-2   Anchor      18.90\n'

  it('is no heading in a .txt file', () => {
    expect(pathsOf(`Prices\n======\n\n${table}`, true)).toEqual(['Prices'])
    expect(pathsOf('2.  Name   of the rope\n-----\n\nIt is long.\n', true)).toEqual(['2. Name of the rope'])
  })
})

describe('readSections, underlined titles with a number', () => {
  it.each(['\n', '\r\n'])('begin sections, with the line end %j', end => {
    const terms = [
      'Terms of the harbour',
      '====================',
      '',
      '1. Words',
      '-----',
      '',
      '1.1. "Quay" means a wall at which ships lie.',
      '',
      '2. Fees',
      '-------',
      'They are due',
      '',
      '3. on arrival',
      '',
      '-------',
      '10) *End* of a stay',
      '-------',
      '',
      'The ship leaves.',
    ].join(end)
    for (const isPlain of [true, false])
      expect(pathsOf(terms, isPlain)).toEqual([
        'Terms of the harbour',
        'Terms of the harbour > 1. Words',
        'Terms of the harbour > 2. Fees',
        'Terms of the harbour > 10) End of a stay',
      ])
  })

  it.each([
    ['a list above a rule', 'Steps:\n\n1. Open the gate.\n\n2. Close the gate.\n---\n\nDone.'],
    ['the last of several items', '1. Open the gate.\n2. Close the gate.\n-----------------\n\nDone.'],
    ['a number in a quote', '> 1. Open\n> -------\n'],
  ])('are not %s', (_, text) => {
    expect(pathsOf(text, false)).toEqual([''])
  })
})

describe('readSections, titles above tildes or backticks in text that is no Markdown', () => {
  const manual = [
    'Tide gauge',
    '==========',
    '',
    'Set up',
    '~~~~~~',
    '',
    'Fix it to the quay.',
    '',
    'API',
    '```',
    '',
    'It answers in metres.',
    '',
    'Repair',
    '------',
    '',
    'Call the harbour.',
  ]

  it.each(['\n', '\r\n'])('open no code, with the line end %j', end => {
    const sections = readSections(manual.join(end), true)
    expect(sections.map(({ path }) => path)).toEqual([
      'Tide gauge',
      'Tide gauge > Set up',
      'Tide gauge > Set up > API',
      'Tide gauge > Set up > API > Repair',
    ])
    expect(sections.flatMap(({ blocks }) => blocks.map(({ kind }) => kind))).not.toContain('code')
  })

  it.each([
    ['', 'Set it up:\n~~~\n\nheight = 4\n\nend\n~~~\n\nIt starts.'],
    ['with a blank line before a short last line', '~~~~ js\nopen(() => {\n\n})\n~~~~\n\nIt starts.'],
    ['directly below a line', 'Run\n~~~~\n# as root\nstart\n~~~~\n\nIt starts.'],
  ])('are not mixed up with fenced code %s', (_, text) => {
    for (const isPlain of [true, false])
      expect(readSections(text, isPlain).flatMap(({ blocks }) => blocks.map(({ kind }) => kind))).toEqual(
        text.startsWith('~') ? ['code', 'prose'] : ['prose', 'code', 'prose'],
      )
  })

  it('open no code below several lines either', () => {
    const text = 'Tide gauge\nRelease 3 of May\n~~~~~~~~~~~~~~~~\n\nHelp\n----\n\nCall the harbour.\n'
    expect(pathsOf(text, true)).toEqual(['', 'Help'])
  })

  it('are code below a short last line of a paragraph', () => {
    const text = 'Ring the bell like\nso:\n```\n\nring\n```\n\nHelp\n----\n\nCall the harbour.\n'
    expect(pathsOf(text, true)).toEqual(['', 'Help'])
  })

  it('are code in Markdown', () => {
    expect(readSections('Set up\n~~~~~~\n\nrun\n\n~~~~~~\n\n# Help\n').map(({ path }) => path)).toEqual(['', 'Help'])
  })
})

describe('readSections, titles as reStructuredText writes them', () => {
  it('have levels in the order of their forms, whatever their signs are', () => {
    const text = [
      '.. _gauge:\n\n##########\nTide gauge\n##########\n\nIt measures.',
      'Set up\n******\n\nFix it.',
      'Tools\n======\n\nA hammer.',
      '*Oil*\n~~~~~\n\nOne litre.',
      'Use\n******\n\nRead it.',
      'Units\n=====\n\nMetres.',
    ]
    for (const end of ['\n', '\r\n'])
      expect(pathsOf(text.join('\n\n').replaceAll('\n', end), true)).toEqual([
        '',
        'Tide gauge',
        'Tide gauge > Set up',
        'Tide gauge > Set up > Tools',
        'Tide gauge > Set up > Tools > Oil',
        'Tide gauge > Use',
        'Tide gauge > Use > Units',
      ])
  })

  it('are another form with a line above them', () => {
    const text = '=====\nGauge\n=====\n\nA.\n\nSet up\n======\n\nB.\n\n=====\n Lamp\n=====\n\nC.\n'
    expect(pathsOf(text, true)).toEqual(['Gauge', 'Gauge > Set up', 'Lamp'])
  })

  it('may stand right above their text when the line is just as long', () => {
    expect(pathsOf('Gauge\n=====\n\nLamps\n~~~~~\nThey burn.\n\nOil\n~~~\nOne.\n', true)).toEqual([
      'Gauge',
      'Gauge > Lamps',
    ])
  })

  it('may be a sentence or begin with a number when the line is just as long', () => {
    const sentence = 'My gates do not seem to close at all!'
    const text = (rule: string) => `Gates\n=====\n\n${sentence}\n${rule}\n\nOil them.\n\n1. Oil\n~~~~~~\n\nBuy it.\n`
    const sections = ['Gates', `Gates > ${sentence}`, `Gates > ${sentence} > 1. Oil`]
    expect(pathsOf(text('-'.repeat(sentence.length)), true)).toEqual(sections)
    expect(pathsOf(text('-----'), true)).toEqual(['Gates', 'Gates > 1. Oil'])
  })

  it('may be sentences only', () => {
    const sentence = 'My gates do not seem to close at all!'
    const text = `${sentence}\n${'='.repeat(sentence.length)}\n\nOil them.\n`
    expect(pathsOf(text, true)).toEqual([sentence])
  })

  it('may stand above an anchor', () => {
    expect(pathsOf('Gates\n=====\n\nOil+\n~~~~\n.. _oil:\n\nBuy it.\n', true)).toEqual(['Gates', 'Gates > Oil+'])
  })

  it('are read below a comment that shows the signs of titles', () => {
    const signs = '..\n      Levels:\n\n      =======  Heading 0\n      ~~~~~~~  Heading 2\n\n'
    expect(pathsOf(`${signs}Gates\n=====\n\nOil them.\n\nOil\n~~~\n\nBuy it.\n`, true)).toEqual([
      '',
      'Gates',
      'Gates > Oil',
    ])
  })

  it('keep all their lines in the heading', () => {
    const text = '~~~~~\nGauge\n~~~~~\n\nA.\n'
    const [section] = readSections(text, true)
    expect(text.slice(section?.heading?.start, section?.heading?.end)).toBe('~~~~~\nGauge\n~~~~~')
    expect(section?.header).toBe('Gauge')
  })

  it.each([
    ['lines of a table', 'Lamps\n.....\n\nA.\n\n====  ====\nName  Oil\n====  ====\nBig   One\n====  ====\n'],
    ['a rule that is too short', 'Lamps\n.....\n\nA.\n\nThe lamps burn\n...\n\nB.\n'],
    [
      'a sentence above a longer line',
      'Lamps\n.....\n\nA.\n\nThe lamps burn all night long.\n********************************\n\nB.\n',
    ],
    ['an item', 'Lamps\n.....\n\nA.\n\n* Big lamps\n+++++++++++\n\nB.\n'],
    ['a line right above text', 'Lamps\n.....\n\nA.\n\nBig\n++++++\nmore\n'],
    ['code', 'Lamps\n.....\n\nA.\n\n```\nBig\n+++\n\nmore\n```\n'],
    ['a block of one line', 'Lamps\n.....\n\nA.\n\n++++\nBig\n++++\n\nmore\n'],
    ['a comment', 'Lamps\n.....\n\nA.\n\n########\n# Big #\n########\n\nmore\n'],
    ['an indented line', 'Lamps\n.....\n\nA.\n\n  Big\n  +++\n\nmore\n'],
  ])('are not %s', (_, text) => {
    expect(pathsOf(text, true)).toEqual(['Lamps'])
  })

  it('are none in Markdown', () => {
    expect(pathsOf('Lamps\n.....\n\nA.\n', false)).toEqual([''])
  })
})

describe('readSections, lines in capitals above indented text', () => {
  const page = [
    'MOOR(1)                 Harbour Commands                 MOOR(1)',
    '',
    'NAME',
    '       moor - ties a ship to the quay',
    '',
    'FILE FORMAT',
    '',
    '       Each line names a rope.',
    '',
    '   Ropes',
    '       LENGTH',
    '              In metres.',
    '',
    'ÜBERSICHT:',
    '\tAlle Seile.',
    '',
    'MOOR(1)',
    '',
  ]

  it.each(['\n', '\r\n'])('are headings in text that is no Markdown, with the line end %j', end => {
    const sections = readSections(page.join(end), true)
    expect(sections.map(({ path }) => path)).toEqual(['', 'NAME', 'FILE FORMAT', 'ÜBERSICHT:'])
    expect(sections[1]?.header).toBe('NAME')
    expect(pathsOf(page.join(end), false)).toEqual([''])
  })

  it('stand below the title of the text', () => {
    const text = 'Moor\n====\n\nNAME\n    moor\n\nUSE\n    moor ROPE\n'
    expect(pathsOf(text, true)).toEqual(['Moor', 'Moor > NAME', 'Moor > USE'])
  })

  it('may stand above the title of the first of several parts', () => {
    const parts = 'To moor a ship:\n    -r  a rope\n\nTo light a lamp:\n    -l  a lamp\n'
    expect(pathsOf(`NAME\n    moor\n\nOPTIONS\n${parts}\nFILES\n    ropes\n`, true)).toEqual([
      'NAME',
      'OPTIONS',
      'FILES',
    ])
    expect(pathsOf('NAME\n    moor\n\nOPTIONS\nThey are text.\nSo is this.\n\nFILES\n    ropes\n', true)).toEqual([
      'NAME',
      'FILES',
    ])
  })

  it('are text when there is one only, inside a paragraph, in a table, or without indented text', () => {
    expect(pathsOf('NOTE\n    Mind the tide.\n\nOpen the gate.\n', true)).toEqual([''])
    expect(pathsOf('Ask for\nROPES\n    and\nLAMPS\n    too.\n', true)).toEqual([''])
    expect(pathsOf('PORT   ROPE\n    West   Bow\n\nPORT   LAMP\n    East   Red\n', true)).toEqual([''])
    expect(pathsOf('STOP.\n    Mind it!\n\nSHIPS,\n    ropes.\n\nA\n    b\n\nWEST\n\nEAST\n', true)).toEqual([''])
    expect(pathsOf('```\nNAME\n    moor\n\nUSE\n    moor\n```\n', true)).toEqual([''])
  })

  it('are text among many paragraphs that begin in the first column', () => {
    const places = 'Wiki\n\n    Read the wiki.\n\nIRC\n\n    Ask there.\n\nUSENET\n\n    Ask there, too.\n\n'
    const text = `How to moor a ship.\n\n${places}${'Tie the rope to the quay.\n\n'.repeat(9)}`
    expect(pathsOf(text, true)).toEqual([''])
    expect(readSections(text, true)[0]?.blocks.length).toBeGreaterThan(9)
  })
})

describe('prose above a line of hyphens', () => {
  const note = 'The valve opens at 3 bar and closes at 2.\nNever open the lid of the boiler before.'

  it.each([true, false])('is no heading, and is not lost at the end; plain text: %s', isPlain => {
    const text = `${note}\n-----\n${note}\n-----\n`
    const sections = readSections(text, isPlain)
    expect(sections.map(({ heading }) => heading)).toEqual([null])
    expect(sections.flatMap(({ blocks }) => blocks.map(({ start, end }) => text.slice(start, end)))).toEqual([
      `${note}\n-----`,
      `${note}\n-----`,
    ])
  })

  it('of one line is a heading in Markdown, and in plain text unless it is a sentence', () => {
    const pathsOf = (line: string, isPlain: boolean) =>
      readSections(`${line}\n-----\nText.\n`, isPlain).map(({ path }) => path)
    const sentence = 'Refer to the older news for what came before.'
    expect(pathsOf(sentence, false)).toEqual([sentence])
    expect(pathsOf(sentence, true)).toEqual([''])
    expect(pathsOf('Older news', true)).toEqual(['Older news'])
  })

  it('of two hyphens is no heading in plain text, unless it is as long as the line', () => {
    expect(readSections('Call the harbour\n--\nAda\n', true).map(({ path }) => path)).toEqual([''])
    expect(readSections('Call the harbour\n--\nAda\n').map(({ path }) => path)).toEqual(['Call the harbour'])
    expect(readSections('Go\n--\n\nAda\n', true).map(({ path }) => path)).toEqual(['Go'])
    expect(readSections('Ferry 1.2\n==\n\nAda\n', true).map(({ path }) => path)).toEqual(['Ferry 1.2'])
  })
})

describe('readSections, titles by their numbers in text that marks none in another way', () => {
  const words =
    'The gate closes when the water of the harbour is higher than the mark on its wall, and it opens again at noon.'
  const textOf = (titles: readonly string[], indent = '') =>
    titles.map(title => `${title}\n\n${indent}${words}\n`).join('\n')

  it.each([
    [
      'a memo',
      ['1.  Introduction', '1.1.  Terms', '2.  Gates', '2.1.  Locks', '10.  References'],
      '   ',
      ['1. Introduction', '1. Introduction > 1.1. Terms', '2. Gates', '2. Gates > 2.1. Locks', '10. References'],
    ],
    [
      'a contract',
      ['1. DEFINITIONS', '2. THE SERVICE', '9. NOTICES'],
      '',
      ['1. DEFINITIONS', '2. THE SERVICE', '9. NOTICES'],
    ],
    ['a law', ['§ 1 Scope', '§ 3a Speed', '§ 12 Fines'], '', ['§ 1 Scope', '§ 3a Speed', '§ 12 Fines']],
    [
      'minutes',
      ['TOP 1: Brücke', 'TOP 2: Schule', 'TOP 3: Verschiedenes'],
      '',
      ['TOP 1: Brücke', 'TOP 2: Schule', 'TOP 3: Verschiedenes'],
    ],
    [
      'chapters',
      ['Chapter I', 'Chapter II', 'Chapter III', 'Chapter IV'],
      '',
      ['Chapter I', 'Chapter II', 'Chapter III', 'Chapter IV'],
    ],
    [
      'articles with names below',
      ['Article 1\nScope', 'Article 2\nTerms', 'Article 9\nFines'],
      '',
      ['Article 1 Scope', 'Article 2 Terms', 'Article 9 Fines'],
    ],
  ])('are read in %s', (_, titles, indent, paths) => {
    expect(pathsOf(textOf(titles, indent), true)).toEqual(paths)
  })

  it('are read with clauses right below, and numbers below words', () => {
    const clauses = (title: string, number: number) => `${title}\n\n${number}.1 Terms\n${words} ${words}\n`
    const titles = ['Part 1. Gates', 'Part 2. Locks', 'Part 3. Fines'].map((title, at) => clauses(title, at + 1))
    expect(pathsOf(titles.join('\n'), true)).toEqual([
      'Part 1. Gates',
      'Part 1. Gates > 1.1 Terms',
      'Part 2. Locks',
      'Part 2. Locks > 2.1 Terms',
      'Part 3. Fines',
      'Part 3. Fines > 3.1 Terms',
    ])
  })

  it('are read below contents that are a list', () => {
    const contents = '   1.  Gates . . . . . 2\n   2.  Locks . . . . . 3\n   3.  Fines . . . . . 4\n\n'
    expect(pathsOf(contents + textOf(['1.  Gates', '2.  Locks', '3.  Fines']), true).slice(1)).toEqual([
      '1. Gates',
      '2. Locks',
      '3. Fines',
    ])
  })

  it('are read below contents that are the same lines', () => {
    const names = [
      '1. Gates',
      '1.1. Why is a gate shut?',
      '1.2. Gates of wood, and\n     how to paint them',
      '2. Locks',
    ]
    const contents = `Contents\n\n${names.slice(0, 3).join('\n')}\n\n${names[3]}\n2.1. Fines\n\n`
    expect(pathsOf(contents + textOf(names, '   '), true)).toEqual([
      '',
      '1. Gates',
      '1. Gates > 1.1. Why is a gate shut?',
      '1. Gates > 1.2. Gates of wood, and how to paint them',
      '2. Locks',
    ])
    expect(pathsOf(`${textOf(names)}\n${textOf(names)}`, true)).toEqual([''])
  })

  it('are read where a full line goes on with a capital', () => {
    const long = '1.2. Gates of Wood in Harbours of Salt Water, and Their\n     Colours'
    expect(pathsOf(textOf(['1.1. Gates', long, '1.3. Locks']), true)[1]).toBe(long.replace(/\s+/g, ' '))
  })

  it('are none where a full line of a clause goes on with a number or a capital', () => {
    const clause = '1.2. The keeper of the gates pays a fine where the water is below'
    const titles = [
      '1. Gates',
      '1.1. Oak',
      `${clause}\n98 feet in May.`,
      `1.3. ${clause.slice(5)}\nLow Water.`,
      '2. Locks',
    ]
    expect(pathsOf(textOf(titles), true)).toEqual(['1. Gates', '1. Gates > 1.1. Oak', '2. Locks'])
    const wrapped = `${clause.slice(0, -3)}\nHarbour of Oak`
    expect(pathsOf(textOf(['1.1. Oak', wrapped, '1.3. Elm']), true)[1]).toBe(wrapped.replace('\n', ' '))
  })

  it('are read beside a drawing with a row above a rule', () => {
    const drawing = '| lamp | rope |\n -----------\n| two  | ten  |\n\n'
    const titles = ['1. Gates', '2. Locks', '3. Fines']
    expect(pathsOf(drawing + textOf(titles), true)).toEqual(['', ...titles])
    expect(pathsOf(drawing, false)).toEqual([''])
  })

  it.each([
    ['a list', '1. Open the gate\n\n2. Wait for it\n\n3. Close the gate\n'],
    ['numbers that begin anew', textOf(['1. Gates', '2. Locks', '1. Gates', '2. Locks'])],
    ['sentences', textOf(['1. The gate is shut.', '2. The lock is full.', '3. The fine is high.'])],
    [
      'wrapped items',
      textOf(['1. The gate is shut\n   by night', '2. The lock is full\n   by day', '3. The fine\n   is high']),
    ],
    [
      'versions with text below',
      textOf(['0.8.0 May\n  Gates of oak', '0.9.0 June\n      Gates of ash', '0.10.0 July\n  Locks']),
    ],
    [
      'items above a long line',
      textOf(['1.1 Gates', '1.2 Locks', '1.3 Fines'].map(item => `${item}\n    of ${words} ${words}x`)),
    ],
    ['captions', textOf(['Figure 1: Gates', 'Figure 2: Locks', 'Figure 3: Fines'])],
    ['questions', textOf(['1. Is the gate shut?', '2. Is the lock full?', '3. Is the fine high?'])],
    ['two titles', textOf(['1. Gates', '2. Locks'])],
    ['values', textOf(['4 Men', '40 Boats', '12 Locks'])],
    ['addresses', textOf(['10.0.0.1 Gate', '10.0.0.2 Lock', '10.0.0.3 Quay'])],
    ['prices', textOf(['1.50 Euro', '2.80 Euro', '4.20 Euro', '9.90 Euro'])],
    ['prices with zeros', textOf(['1.05 Euro', '1.06 Euro', '1.07 Euro'])],
    ['times', textOf(['8.30 Gates', '9.15 Locks', '10.45 Fines'])],
  ])('are none in %s', (_, text) => {
    expect(pathsOf(text, true)).toEqual([''])
  })

  it('may skip some, and have four parts below a chapter', () => {
    const titles = ['1. Gates', '1.2. Oak', '1.3.1.1. Ash', '1.3.1.2. Elm', '2.0 Locks', '4. Fines']
    expect(pathsOf(textOf(titles), true).map(path => path.split(' > ').at(-1))).toEqual(titles)
  })

  it('are none beside underlined titles, and in Markdown', () => {
    const numbered = textOf(['1. Gates', '2. Locks', '3. Fines'])
    expect(pathsOf(`Harbour\n=======\n\n${numbered}`, true)).toEqual(['Harbour'])
    expect(pathsOf(numbered, false)).toEqual([''])
  })
})

describe('readSections, titles with signs of equality in a .txt file', () => {
  it('are those of AsciiDoc, beside titles with lines below', () => {
    const text =
      '= Harbour\n\n== Gates\n\nThey open.\n\n[[oak]]\n=== Of oak [[oak2]]\n# a comment\n\nLocks\n-----\nFull.\n'
    expect(pathsOf(text, true)).toEqual(['Harbour', 'Harbour > Gates', 'Harbour > Gates > Of oak', 'Harbour > Locks'])
    expect(pathsOf(text, false)).not.toContain('Harbour > Gates')
  })

  it('are those of MediaWiki, also directly below text', () => {
    const text = "Boats wait.\n== Gates ==\n# Open it\n# Wait\n== Locks ==\n=== '''Old''' locks ===\nFull.\n"
    expect(pathsOf(text, true)).toEqual(['', 'Gates', 'Locks', 'Locks > Old locks'])
  })

  it('are those of DokuWiki, where most signs are the highest level', () => {
    const text =
      '====== Harbour ======\nBoats wait.\n\n===== Gates =====\nOpen.\n\n==== Oak ====\nOld.\n\n===== Locks =====\nFull.\n'
    expect(pathsOf(text, true)).toEqual(['Harbour', 'Harbour > Gates', 'Harbour > Gates > Oak', 'Harbour > Locks'])
  })

  it.each([
    ['one', '== Gates\n\nThey open.\n'],
    ['a calculation', 'Sum:\n= 4 + 5\n= 9\n\nThen:\n= 10\n'],
    ['code', '```\n== gates\n\n== locks\n\n```\nText.\n'],
    ['text without a blank line above', 'Gates\n== open\nLocks\n== shut\n'],
    ['a table', '====  ====\na     b\n====  ====\n'],
  ])('are none in %s', (_, text) => {
    expect(pathsOf(text, true)).toEqual([''])
  })
})
