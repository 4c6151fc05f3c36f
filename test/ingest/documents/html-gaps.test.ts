import { expect, it } from 'vitest'
import { readHtml } from '../../../src/ingest/documents/html/read-html.ts'

const textOf = (html: string) => (readHtml(Buffer.from(html)) as { text: string }).text

const LEFT_OUT = [
  '<script>x()</script>',
  '<style>a { }</style>',
  '<noscript><img src="a.png"></noscript>',
  '<nav><a href="/">Start</a></nav>',
  '<aside>Advertisement</aside>',
  '<button>Copy</button>',
  '<select><option>Bow</option></select>',
  '<input value="Bow">',
  '<svg><path d="M0 0"/></svg>',
  '<svg></svg>',
  '<img src="a.png">',
  '<span hidden>secret</span>',
  '<div hidden>secret</div>',
  '<div style="display: none">secret</div>',
  '<i aria-hidden="true">/</i>',
  '<audio src="a.ogg"></audio>',
  '<canvas></canvas>',
  '<script>x()</script><svg></svg><img src="a.png">',
]

it.each(LEFT_OUT)('parts the words beside %s, which is left out', html => {
  for (const [before, behind] of [
    ['Rope', 'knots'],
    ['Rope ', ' knots'],
    ['Rope ', '<b>knots</b>'],
    ['<em>Rope</em>', 'knots'],
  ])
    expect(textOf(`<h1>Mooring</h1><div>${before}${html}${behind}.</div>`).replace(/[*_]/g, '')).toMatch(
      /^# Mooring\n\nRope +knots\.\n$/,
    )
})

it.each(LEFT_OUT)('writes no space before a sign behind %s, and none at the ends of a block', html => {
  expect(textOf(`<div>Rope${html}, knots (bow${html}).</div>`)).toBe('Rope, knots (bow).\n')
  expect(textOf(`<div>${html}Rope</div>${html}<div>Knots${html}</div>`)).toBe('Rope\n\nKnots\n')
})

it('writes the parts of a page that can be folded, and the name of a group, as blocks', () => {
  expect(textOf('<p>Rope</p><details><summary>More <b>knots</b></summary>The bowline holds.</details>Tides')).toBe(
    'Rope\n\nMore **knots**\n\nThe bowline holds.\n\nTides\n',
  )
  expect(textOf('<fieldset><legend>Knots</legend>The bowline</fieldset>')).toBe('Knots\n\nThe bowline\n')
})

it.each([
  ['<img alt="Rope">', '<img alt="knots">'],
  ['<a href="a"><img alt="Rope"></a>', '<a href="b"><picture><source><img alt="knots"></picture></a>'],
  ['<img alt="Rope"><svg></svg>', 'knots'],
  ['<img alt="Rope">', '<b>knots</b>'],
  ['Rope', '<span><svg></svg></span><span>knots</span>'],
  ['<my-card>Rope</my-card>', '<my-card><span>knots</span></my-card>'],
  ['<span><my-card>Rope</my-card></span>', '<my-icon></my-icon>knots'],
  ['Rope', '<meter value="3">knots</meter>'],
  ['<progress>Rope</progress>', '<progress>knots</progress>'],
])('parts the words of %s and %s', (before, behind) => {
  expect(textOf(`<div>${before}${behind}</div>`).replaceAll('**', '')).toBe('Rope knots\n')
})

it('parts the names of buttons in a sentence', () => {
  expect(textOf('<p>Press <button>Save</button><button>Send</button>now.</p>')).toBe('Press Save Send now.\n')
})

it('writes no space between a picture or a custom element and the signs around it', () => {
  expect(textOf('<p>(<img alt="Rope">), <my-name>knots</my-name>-only, <b><img alt="bow"></b>.</p>')).toBe(
    '(Rope), knots-only, **bow**.\n',
  )
  expect(textOf('<div>Rope<div><svg></svg></div>knots</div>')).toBe('Rope\n\nknots\n')
  expect(textOf('<div><my-card>Rope</my-card>\n<my-card><p>knots</p></my-card></div>')).toBe('Rope\n\nknots\n')
})

it('reads thousands of elements that part words in linear time', () => {
  for (const html of ['<my-icon></my-icon>', '<span><svg></svg></span>', '<img alt="">'])
    expect(textOf(`<p>Rope${html.repeat(20_000)}knots</p>`)).toBe('Rope knots\n')
})
