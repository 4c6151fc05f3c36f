import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openDocuments } from '../../src/ingest/read-documents.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

async function documentsOf(files: Record<string, string>) {
  const folder = await mkdtemp(join(temporaryFolder('stowage-subtitles'), 'f-'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const documents: unknown[] = []
  for await (const document of (await openDocuments(folder)).documents) documents.push(document)
  return documents
}

it('reads WebVTT as one line for each turn, without settings, notes and styles', async () => {
  const meeting = [
    'WEBVTT - Weekly',
    'STYLE\n::cue { color: red }',
    'NOTE made by a tool',
    '1\n00:00:01.000 --> 00:00:04.200 align:start\n<v Ada Stone>The gate is <i>shut</i>.</v>',
    '2\n00:00:04.200 --> 00:00:06.000\n<v Ada Stone>It opens\nat noon.</v>',
    'a-b-c\n01:02.500 --> 01:04.000\n<v.loud Bo>Who says so?</v>',
  ].join('\n\n')
  expect(await documentsOf({ 'weekly.vtt': `${meeting.replaceAll('\n', '\r\n')}\r\n` })).toMatchObject([
    {
      docId: 'weekly.vtt',
      text: '[00:00:01] Ada Stone: The gate is shut. It opens at noon.\n[01:02] Bo: Who says so?\n',
    },
  ])
})

it('reads SubRip, whose words have no speakers, as lines of a few sentences', async () => {
  const cue = (at: number) =>
    `${at}\n00:00:${String(at).padStart(2, '0')},000 --> 00:00:59,000\nThe gate of the harbour is shut by night.`
  const cues = Array.from({ length: 20 }, (_, at) => cue(at + 10)).join('\n\n')
  const [document] = (await documentsOf({ 'film.srt': cues })) as { text: string }[]
  const lines = document?.text.trim().split('\n') ?? []
  expect(lines.length).toBeGreaterThan(1)
  expect(lines.length).toBeLessThan(6)
  for (const line of lines) expect(line).toMatch(/^\[00:00:\d\d\] The gate .*night\.$/)
  expect(document?.text.match(/night/g)).toHaveLength(20)
})

it('reads a file without cues as an empty text', async () => {
  expect(await documentsOf({ 'a.vtt': 'WEBVTT\n\nNOTE nothing' })).toMatchObject([{ text: '' }])
})
