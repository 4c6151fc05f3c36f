import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { openDocuments } from '../../src/ingest/read-documents.ts'
import { blocksOf } from '../../src/ingest/sites/blocks.ts'
import { sharedEdges, withoutSharedEdges } from '../../src/ingest/sites/shared-edges.ts'
import { siteFinder } from '../../src/ingest/sites/site-folders.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let root: string
beforeAll(() => {
  root = temporaryFolder('stowage-sites')
})

/** Texts of the documents in a folder of these files, by id. */
async function read(files: Record<string, string>): Promise<Map<string, string>> {
  return textsOf(await written(files))
}

async function written(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(root, 'f-'))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  return folder
}

async function textsOf(folder: string): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for await (const document of (await openDocuments(folder)).documents)
    if ('text' in document) texts.set(document.docId, document.text)
  return texts
}

const TOPICS = ['anchor', 'buoy', 'cleat', 'dinghy', 'ensign', 'fender']
const pageOf = (topic: string, link: string) => `<title>${topic}</title><body>
<div><p>Harbour handbook</p><p>Small. Fast. Reliable.</p></div>
<h1>The ${topic}</h1><p>A ${topic} is kept dry.</p><p>See also</p><p>The ${topic} of a ship.</p>
<div><p>See also</p><p>Help with your boat:</p><ul><li>Mailing list of the ${link}</li></ul><p>Copyright 2020 Ada.</p></div>`
const site = (link = '<a href="index.html">harbour</a>') =>
  Object.fromEntries(['index', ...TOPICS].map(topic => [`${topic}.html`, pageOf(topic, link)]))

describe('the pages of a site', () => {
  it('lose what most of them begin and end with', async () => {
    const texts = await read(site())
    for (const topic of TOPICS)
      expect(texts.get(`${topic}.html`)).toBe(
        `# The ${topic}\n\nA ${topic} is kept dry.\n\nSee also\n\nThe ${topic} of a ship.\n`,
      )
  })

  it('keep it once, on the home page', async () => {
    const index = (await read(site())).get('index.html')
    for (const text of [
      'Harbour handbook',
      'Small. Fast. Reliable.',
      'Mailing list of the harbour',
      'Copyright 2020 Ada.',
    ])
      expect(index).toContain(text)
  })

  it('keep it once, on another page where the home page does not have it or cannot be read', async () => {
    for (const index of ['<h1>Welcome</h1><p>See the <a href="buoy.html">buoy</a>.</p>', '']) {
      const texts = await read({ ...site(), 'index.html': index })
      for (const text of ['Small. Fast. Reliable.', 'Copyright 2020 Ada.'])
        expect([...texts].filter(([, page]) => page.includes(text)).map(([id]) => id)).toEqual(['anchor.html'])
    }
  })

  it('keep it at the top, where folders have home pages, too', async () => {
    const texts = await read({ ...site(), 'a/index.html': pageOf('chart', '<a href="../index.html">up</a>') })
    expect(texts.get('index.html')).toContain('Small. Fast. Reliable.')
    expect(texts.get('a/index.html')).not.toContain('Small. Fast. Reliable.')
  })

  it('may stand in folders that lead to each other: what one folder shares is about its part', async () => {
    const parts = ['sails', 'ropes'].flatMap(part =>
      TOPICS.map(topic => {
        const html = `<p>Harbour handbook</p><p>Part ${part}</p><h1>${topic}</h1><p>${topic} of ${part}.</p><a href="../index.html">up</a>`
        return [`${part}/${topic}.html`, html]
      }),
    )
    const texts = await read({
      'index.html': '<h1>Home</h1><a href="sails/buoy.html">buoy</a>',
      ...Object.fromEntries(parts),
    })
    expect(texts.get('sails/buoy.html')).toBe('Part sails\n\n# buoy\n\nbuoy of sails.\n')
  })

  it('are known as a site by the names of their links when these have the address of a server', async () => {
    const texts = await read(
      site('<a href="https://harbour.example/docs/buoy">buoy</a><a href="/docs/anchor/">anchor</a>'),
    )
    expect(texts.get('cleat.html')).not.toContain('Copyright 2020 Ada.')
  })

  it('are known by names with spaces and letters of other languages', async () => {
    for (const [one, other] of [
      ['gro%C3%9Fe%20Boje', 'Anker%C3%B6se'],
      ['große%20Boje', 'Ankeröse'],
    ]) {
      const pages = site(`<a href="${one}.html">one</a><a href="${other}.html">other</a>`)
      const { 'anchor.html': anchor = '', 'buoy.html': buoy = '', ...others } = pages
      const texts = await read({ ...others, 'Ankeröse.html': anchor, 'große Boje.html': buoy })
      expect(texts.get('cleat.html')).not.toContain('Copyright 2020 Ada.')
    }
  })

  it('are those of one of two sites side by side', async () => {
    const pages = Object.entries(site())
    const texts = await read(Object.fromEntries(['a', 'b'].flatMap(f => pages.map(([n, t]) => [`${f}/${n}`, t]))))
    expect([...texts].filter(([, text]) => text.includes('Copyright 2020 Ada.')).map(([id]) => id)).toEqual([
      'a/index.html',
      'b/index.html',
    ])
  })

  it('are the same when the path of their folder is a relative one', async () => {
    const pages = Object.entries(site())
    const folder = await written(Object.fromEntries(['a', 'b'].flatMap(f => pages.map(([n, t]) => [`${f}/${n}`, t]))))
    expect(await textsOf(relative('', folder))).toEqual(await textsOf(folder))
  })

  it('keep headings, which name what they are about', async () => {
    const pages = Object.fromEntries(
      TOPICS.map(topic => [
        `${topic}.html`,
        `<h1>Exim 4</h1><p>Mail for all</p><h2>${topic}</h2><p>Of ${topic}.</p><a href="anchor.html">back</a><a href="buoy.html">on</a>`,
      ]),
    )
    expect((await read(pages)).get('cleat.html')).toMatch(/^# Exim 4\n\n## cleat\n\nOf cleat\./)
  })

  it('keep common parts when no page has a link to another one: contracts from one template', async () => {
    const texts = await read(site('harbour'))
    for (const text of texts.values()) expect(text).toContain('Copyright 2020 Ada.')
  })

  it('keep common parts when they are fewer than five', async () => {
    const few = Object.fromEntries(Object.entries(site()).slice(0, 4))
    for (const text of (await read(few)).values()) expect(text).toContain('Copyright 2020 Ada.')
  })

  it('are no Markdown files', async () => {
    const files = Object.fromEntries(
      ['index', ...TOPICS].map(topic => [
        `${topic}.md`,
        `# ${topic}\n\nOf ${topic}.\n\n[Home](index.md)\n\nMay be copied.\n`,
      ]),
    )
    for (const text of (await read(files)).values()) expect(text).toContain('May be copied.')
  })

  it('may have nothing else, and are empty then', async () => {
    const page =
      '<p>Harbour handbook</p><p>Small. Fast. Reliable.</p><p>Copyright 2020 Ada.</p><a href="buoy.html"></a>'
    const texts = await read({ ...site(), 'stub.html': page })
    expect(texts.get('stub.html')).toBe('')
  })
})

it('no two pages are read for their links at the same time', async () => {
  const pages = TOPICS.map(topic => `/docs/${topic}.html`)
  let reading = 0
  const findSite = siteFinder(pages, async page => {
    reading += 1
    expect(reading).toBe(1)
    await nextTurn()
    reading -= 1
    return new Set(pages.filter(other => other !== page))
  })
  expect(await findSite('/docs/buoy.html')).toEqual(pages)
})

describe('sharedEdges', () => {
  const markdown = fc
    .array(
      fc.constantFrom(
        '# A',
        '## B',
        'one',
        'two',
        '- x\n    - y',
        '- z',
        '    indented',
        '```\n\n- in code\n\n```',
        '* * *',
        '| a |\n| - |\n| 1 |',
      ),
      { maxLength: 8 },
    )
    .map(parts => parts.join('\n\n'))

  it('takes away nothing but shared blocks at the edges', () => {
    fc.assert(
      fc.property(fc.array(markdown, { minLength: 5, maxLength: 9 }), pages => {
        const shared = sharedEdges(pages)
        for (const page of pages) {
          const before = blocksOf(page).map(({ text }) => text)
          const after = blocksOf(withoutSharedEdges(page, shared)).map(({ text }) => text)
          let at = 0
          for (const block of before) {
            if (block === after[at]) at += 1
            else expect(shared.head.has(block) || shared.tail.has(block) || after.length === 0).toBe(true)
          }
          expect(at).toBe(after.length)
        }
      }),
    )
  })

  it('parts a text without loss', () => {
    fc.assert(
      fc.property(fc.oneof(markdown, fc.string()), text => {
        const blocks = blocksOf(text)
        const joined = blocks.map(({ start, end }) => text.slice(start, end)).join('')
        expect(joined.trimEnd()).toBe(text.slice(blocks[0]?.start ?? text.length).trimEnd())
        expect(text.slice(0, blocks[0]?.start ?? text.length).trim()).toBe('')
      }),
    )
  })

  it('keeps the items below an item that is not shared, and code with blank lines whole', () => {
    const pages = Array.from(
      { length: 6 },
      (_, page) => `- menu ${page}\n    - one\n    - two\n\nText ${page}.\n\n\`\`\`\n- a\n\nb\n\`\`\``,
    )
    const shared = sharedEdges(pages)
    expect(withoutSharedEdges(pages[0] ?? '', shared)).toBe('- menu 0\n    - one\n    - two\n\nText 0.\n')
  })
})
