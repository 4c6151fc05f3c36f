import { endsSentence } from '../../text/sentences/sentences.ts'

/** The times of a cue in WebVTT, whose hours may be missing, and in SubRip. */
const TIMES = /^\s*((?:\d{1,3}:)?\d{2}:\d{2})[.,]\d{3}\s+-->\s+(?:\d{1,3}:)?\d{2}:\d{2}[.,]\d{3}/
/** "<v Ada Stone>" or "<v.loud Ada Stone>". */
const VOICE = /^\s*<v(?:\.[^\s>]*)?\s+([^>]+)>/
const TAG = /<\/?[a-z\d][^<>]*>/gi
/** A line of words of which nobody is said to speak them ends with a sentence behind so many UTF-16 code units. */
const LONG = 300

interface Cue {
  time: string
  /** Empty when unknown. */
  voice: string
  words: string
}

/** The words of subtitles (WebVTT, SubRip) as lines `[03:12] Ada: words`, one for each turn; of words without a speaker one for a few sentences. */
export function spokenText(subtitles: string): string {
  const turns: Cue[] = []
  for (const block of subtitles.split(/\n[^\S\n]*\n/)) {
    const cue = cueIn(block.split('\n'))
    if (cue === null) continue
    const last = turns.at(-1)
    const goesOn =
      last?.voice === cue.voice && (cue.voice !== '' || last.words.length < LONG || !endsSentence(last.words))
    if (last && goesOn) last.words += ` ${cue.words}`
    else turns.push(cue)
  }
  return turns.map(({ time, voice, words }) => `[${time}] ${voice === '' ? '' : `${voice}: `}${words}\n`).join('')
}

function cueIn(lines: readonly string[]): Cue | null {
  const at = lines.findIndex(line => TIMES.test(line))
  const [, time = ''] = TIMES.exec(lines[at] ?? '') ?? []
  const said = lines.slice(at + 1).join(' ')
  const voice = VOICE.exec(said)?.[1]?.trim() ?? ''
  const words = said.replace(TAG, '').replace(/\s+/g, ' ').trim()
  return at < 0 || words === '' ? null : { time, voice, words }
}
