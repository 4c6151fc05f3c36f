import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readAsciidoc } from '../../../src/ingest/documents/read-asciidoc.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

async function read(text: string) {
  const document = await readAsciidoc(Buffer.from(text))
  if ('fault' in document) throw new Error(document.reason)
  return { ...document, text: document.text.replace(/^(\s*(?:-|\d+\.)) +/gm, '$1 ') }
}

const GUIDE = `= Notes of the harbour
Ada Bell <ada@port.example>
:lang: de-DE
:toc:
:gate: the north gate

Read this first.

[#tides]
== Tides

The *tide* rises _twice_ a day at {gate}.footnote:[Except in spring.]
See <<_tools>>, xref:moon.adoc#phase[the moon] and https://port.example[the port].

NOTE: Ring the bell.

=== Tools

* Rope
** Thin

//-

. Ring
. Close

//-

rope:: holds the boat

[source,sh]
----
moor --north <1>
----
<1> Moors the boat.

|===
|Gate |Width

|South
|38 \\| 39
|===

// a comment
image::gate.svg[The gate]
`

describe('AsciiDoc', () => {
  it('becomes markdown, with its title, its language and the texts of its references', async () => {
    const { title, lang, text, warning, headings } = await read(GUIDE)
    expect({ title, lang, warning, headings }).toEqual({
      ...{ title: 'Notes of the harbour', lang: 'de', warning: null, headings: 'marked' },
    })
    expect(text.match(/^#+ .*$/gm)).toEqual(['# Notes of the harbour', '## Tides', '### Tools'])
    expect(text).toContain('The **tide** rises _twice_ a day at the north gate.[1]')
    expect(text).toContain('See Tools, the moon and the port.')
    expect(text).toContain('**Note**\n\nRing the bell.')
    expect(text).toMatch(/- Rope\n\s+- Thin/)
    expect(text).toMatch(/1\. Ring\n\s*2\. Close/)
    expect(text).toContain('**rope**\n\nholds the boat')
    expect(text).toContain('```sh\nmoor --north (1)\n```\n\n1. Moors the boat.')
    expect(text).toContain('| Gate | Width |\n| --- | --- |\n| South | 38 \\| 39 |')
    expect(text).toContain('Except in spring.')
    for (const gone of ['Table of Contents', 'a comment', 'ada@port.example']) expect(text).not.toContain(gone)
  })

  it('leaves out what it includes, and names the files', async () => {
    const folder = await mkdtemp(join(temporaryFolder('stowage-asciidoc'), 'f-'))
    const secret = join(folder, 'secret.txt')
    await writeFile(secret, 'the-hidden-words')
    const { text, warning } = await read(
      [
        ...[
          '= Gate',
          ':secret: secret.txt',
          '',
          `include::${secret}[]`,
          '',
          'Kept.',
          '',
          '----',
          `include::${secret}[]`,
          '----',
          '',
        ],
        ...['|===', `a|include::${secret}[]`, '|===', '', '[format=csv]', '|===', `include::${secret}[]`, '|===', ''],
        ...[
          `include::${folder}/{secret}[tags=a]`,
          '',
          'include::https://port.example/x.adoc[]',
          '',
          'include::b.adoc[]',
        ],
      ].join('\n'),
    )
    expect(text).toContain('Kept.')
    expect(text).not.toContain('hidden')
    expect(text).not.toContain(folder)
    expect(warning).toBe(`leaves out what it includes: ${secret}, https://port.example/x.adoc, b.adoc`)
  })

  it('reads no file by its attributes, macros or pictures, and shows no place of this machine', async () => {
    const folder = temporaryFolder('stowage-asciidoc-attributes')
    await writeFile(
      join(folder, 'secret.svg'),
      '<svg xmlns="http://www.w3.org/2000/svg"><text>the-hidden-words</text></svg>',
    )
    await writeFile(join(folder, 'docinfo.html'), 'the-hidden-words')
    const { text } = await read(
      [
        ...['= Gate', ':data-uri:', ':allow-uri-read:', ':linkcss!:', `:stylesheet: ${folder}/docinfo.html`],
        ...[':docinfo: shared', `:docinfodir: ${folder}`, `:docdir: ${folder}`, ':backend: docbook5', ':__proto__: x'],
        ...[
          `:imagesdir: ${folder}`,
          ':source-highlighter: highlight.js',
          `:template_dir: ${folder}`,
          ':safe-mode-level: 0',
          '',
        ],
        ...[
          'Kept {docfile} {user-home} {env-HOME}.',
          '',
          'image::secret.svg[opts=inline]',
          '',
          'image::secret.svg[]',
          '',
        ],
        ...['[source,js]', '----', 'let a = 1', '----', '', '++++', '<script>the-hidden-words</script>', '++++'],
      ].join('\n'),
    )
    expect(text).toMatch(/^# Gate\n\nKept /)
    expect(text).toContain('```js\nlet a = 1\n```')
    for (const hidden of ['hidden', folder, process.cwd(), process.env.HOME ?? 'no home'])
      expect(text).not.toContain(hidden)
  })

  it('gives the same text at any time', async () => {
    expect((await read('= Gate\n\nRead on {localdate} {doctime}.\n')).text).toContain('Read on {localdate} {doctime}.')
  })

  it('reads the front matter of a generator of sites', async () => {
    expect(await read('---\ntitle: Moon\nlevel: 2\n---\n\nIt pulls.\n')).toMatchObject({
      ...{ title: 'Moon', text: 'It pulls.\n', frontMatter: { level: 2 } },
    })
  })

  it('takes no first section for the title', async () => {
    expect((await read('== Tides\n\nThey rise.\n')).title).toBeNull()
  })

  it('reads Windows-1252, and text that is not closed', async () => {
    const latin = await readAsciidoc(Buffer.from('= Tür\n\nFünf Fähren.\n', 'latin1'))
    expect(latin).toMatchObject({ title: 'Tür', warning: 'is not valid UTF-8 and is read as Windows-1252' })
    expect((await read('= Gate\n\n----\nnever closed\n\n|===\n|a\n')).text).toContain('never closed')
  })

  it.each([
    ['nothing but a comment', '// a comment\n', 'no text'],
    ['nothing but an include', 'include::a.adoc[]\n', 'no text'],
    ['bytes', '\u0001\0\0\u0002', 'binary'],
  ])('says that there is no text in %s', async (_, text, fault) => {
    expect(await readAsciidoc(Buffer.from(text))).toMatchObject({ fault })
  })
})
