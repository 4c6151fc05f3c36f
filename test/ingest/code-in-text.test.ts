import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { shownRestructured } from '../../src/ingest/markup/code-blocks/restructured.ts'

/** What shows that a text is reStructuredText. */
const LABEL = '.. _gates:\n\n'
const read = (text: string): string => shownRestructured(`${LABEL}${text}`).slice(LABEL.length)

describe('code blocks of reStructuredText', () => {
  it.each([
    ['a comment', '.. Licensed to all.\n   Keep it.\n\n   Always.\n\nGates open.\n', 'Gates open.\n'],
    ['a comment below its marks', 'Gates.\n\n..\n   Hidden: x\n\nOpen.\n', 'Gates.\n\nOpen.\n'],
    ['lists of pages', 'Gates.\n\n.. toctree::\n   :maxdepth: 2\n\n   locks\n   piers\n\nOpen.\n', 'Gates.\n\nOpen.\n'],
    ['words of an index, in an item', '- Gates.\n\n  .. index:: gate\n\n  Open.\n', '- Gates.\n\n  Open.\n'],
    ['two full stops that end a list', '- Gates.\n\n..\n\n  Open.\n', '- Gates.\n\n  Open.\n'],
  ])('leave out %s, which readers do not see', (_, text, shown) => {
    expect(read(text)).toBe(shown)
  })

  it.each([
    ['one after the other', '#. Open.\n\n#. Wait\n   long.\n#. Close.\n', '1. Open.\n\n2. Wait\n   long.\n3. Close.\n'],
    ['behind a number', '4. Open.\n#. Close.\n', '4. Open.\n5. Close.\n'],
    ['below a title', 'A\n~~~~\n\n#. A.\n#. B.\n', 'A\n~~~~\n\n1. A.\n2. B.\n'],
    ['anew in each list', '#. A.\n\nThen:\n\n#. B.\n', '1. A.\n\nThen:\n\n1. B.\n'],
    [
      'in lists in items',
      '#. A:\n\n   #. a\n   #. b\n\n#. B:\n\n   #. c\n',
      '1. A:\n\n   1. a\n   2. b\n\n2. B:\n\n   1. c\n',
    ],
    ['beside code', '#. A::\n\n     #. x\n\n#. B.\n', '1. A:\n\n   ```\n   #. x\n   ```\n\n2. B.\n'],
  ])('number items %s', (_, text, shown) => {
    expect(read(text)).toBe(shown)
  })

  it('keep directives, footnotes, targets and substitutions', () => {
    const text =
      '.. note:: Open.\n\n.. note ::\n\n   Wait.\n\n.. [1] A gate.\n\n.. _gate: https://gate.example\n\n.. |g| replace:: gate\n\n... and so on\n'
    expect(read(text)).toBe(text)
  })

  it('keep comments in code', () => {
    expect(read('Write::\n\n  .. toctree::\n\n     locks\n')).toBe('Write:\n\n```\n.. toctree::\n\n   locks\n```\n')
  })

  it('are read without a directive or a target where the text is known to be reStructuredText', () => {
    const text = 'Open it::\n\n  open\n'
    expect(shownRestructured(text)).toBe(text)
    expect(shownRestructured(text, true)).toBe('Open it:\n\n```\nopen\n```\n')
  })

  it('can have hundreds of thousands of lines', () => {
    const lines = 300_000
    expect(read(`Open it::\n\n${'  open\n'.repeat(lines)}`)).toBe(
      `Open it:\n\n\`\`\`\n${'open\n'.repeat(lines)}\`\`\`\n`,
    )
  })

  it.each([
    ['with a language', '.. code-block:: console\n\n   # open\n   gate open\n', '```console\n# open\ngate open\n```\n'],
    ['without a language', '.. code::\n\n  gate open\n', '```\ngate open\n```\n'],
    [
      'with options and a caption',
      '.. code-block:: yaml\n   :caption: gates.yml\n   :linenos:\n\n   height: 4\n',
      'gates.yml\n\n```yaml\nheight: 4\n```\n',
    ],
    [
      'with blank lines in it',
      'So:\n\n.. sourcecode:: c\n\n   a;\n\n     b;\n\nThen.',
      'So:\n\n```c\na;\n\n  b;\n```\n\nThen.',
    ],
    [
      'in an item',
      '- Open it.\n\n  .. code-block:: sh\n\n     open\n\n- Wait.',
      '- Open it.\n\n  ```sh\n  open\n  ```\n\n- Wait.',
    ],
    ['that holds a fence', '.. code-block:: md\n\n   ```\n   x\n   ```\n', '````md\n```\nx\n```\n````\n'],
    ['below a line with two colons', 'Open it::\n\n    open\n\nThen wait.', 'Open it:\n\n```\nopen\n```\n\nThen wait.'],
    ['below two colons behind a space', 'Open it. ::\n\n\topen\n', 'Open it.\n\n```\nopen\n```\n'],
    ['below two colons alone', 'Open it.\n\n::\n\n  open\n', 'Open it.\n\n```\nopen\n```\n'],
    [
      'in an item, below two colons',
      '- So::\n\n    open\n\n  Then wait.',
      '- So:\n\n  ```\n  open\n  ```\n\n  Then wait.',
    ],
  ])('%s stand in fences', (_, text, expected) => {
    expect(read(text)).toBe(expected)
  })

  it.each([
    ['a directive of another kind', '.. note::\n\n   Wait.\n'],
    ['a directive without content', '.. code-block:: sh\n\nWait.\n'],
    ['two colons above text', 'So::\n\nWait.\n'],
    ['two colons above a quotation without a blank line', 'So::\n  Wait.\n'],
    ['what stands in a fence', '```\nSo::\n\n  wait\n```\n'],
    ['titles above tildes', 'Gates\n~~~~~\n\nWait.\n\nLamps\n~~~~~\n'],
  ])('are not %s', (_, text) => {
    expect(read(text)).toBe(text)
  })

  it('are none in a text without directives and targets: in AsciiDoc, two colons end a term', () => {
    const text = '--open::\n\n\tOpens the gate.\n'
    expect(shownRestructured(text)).toBe(text)
  })

  it('keep each line of any text, in order', () => {
    const line = fc.constantFrom(
      '',
      'So::',
      '::',
      '- So::',
      '.. code-block:: sh',
      '  :linenos:',
      '   x',
      '     y',
      '\tz',
      'Title',
      '~~~~~',
      '```',
      '.. note::',
    )
    const words = (text: string): string[] => text.split('\n').flatMap(one => /\b[xyz]\b|Title/u.exec(one)?.[0] ?? [])
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), lines => {
        const text = lines.join('\n')
        expect(words(read(text))).toEqual(words(text))
      }),
    )
  })

  it('are read in linear time', () => {
    for (const line of ['So::\n\n', '::\n\n\n', '.. code-block:: sh\n', '.. code::\n  :a: b\n', ' x\n', '```\n'])
      expect(read(line.repeat(50_000)).length).toBeGreaterThan(100)
  })
})
