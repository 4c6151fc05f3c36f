import { describe, expect, it } from 'vitest'
import { headingTitle } from '../../src/ingest/markup/heading-title.ts'

describe('the title of a heading', () => {
  it.each([
    ['**Bold** _and_ `code` &amp; more', 'Bold and code & more'],
    ['Map<K, V> in <sub>small</sub>', 'Map<K, V> in small'],
    ['tides [![NPM](https://example.com/a.svg?style=flat)](https://example.com/b) [![Build](c)](d)', 'tides'],
    ['tides <sup>[![Version][a-svg]][a-url]</sup>', 'tides'],
    ['![logo](a.png) Tides', 'Tides'],
    ['[Guide](a.md) to [`open()`][open] and [tides][]', 'Guide to open() and tides'],
    ['[1.2.0] of list[0][1]', '[1.2.0] of list[0][1]'],
    ['  Wide \t space ', 'Wide space'],
    [':app:`Tides` and :py:class:`~harbour.Gate`', 'Tides and harbour.Gate'],
    ['Using :ref:`the gates <gates>` and `tides <https://a.example>`_', 'Using the gates and tides'],
    ['At 10:30:`x` or a::`b`', 'At 10:30:x or a::b'],
  ])('of %j is %j', (raw, title) => {
    expect(headingTitle(raw)).toBe(title)
  })

  it.each([
    ['[![Logo of Tides](a.svg)](b)', 'Logo of Tides'],
    ['![Logo of Tides](a.svg)', 'Logo of Tides'],
    ['<img src="a">', ''],
  ])('of %j, which has an image alone, is %j', (raw, title) => {
    expect(headingTitle(raw)).toBe(title)
  })

  it('takes little time for hostile headings', () => {
    for (const unit of ['[', '[![', '[![](', '![a][', '[a][b]', '`', ':a:`', ':a:`b<', '`a<', '*a ', '<a ', '\\'])
      for (const length of [3_900, 100_000])
        expect(headingTitle(unit.repeat(length / unit.length)).length).toBeGreaterThan(0)
  })
})
