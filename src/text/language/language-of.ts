import { addTo } from '../../core/collections.ts'
import { remembered } from '../bounded-cache.ts'

/**
 * Frequent short words of a language. Words that several of these languages share are counted for each of them, so that a language needs
 * more words than its neighbours to be recognised.
 */
export const FUNCTION_WORDS: Readonly<Record<string, string>> = {
  en: 'the of and to in is that it for on are as with this be by or from at an which not have has was were can will its their these when if you your into such more than how what who where between about why whose do does did i my me we our they he she',
  de: 'der die das und in zu den ist von mit sich des auf für nicht ein eine als auch es an werden aus dem hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch man wenn kann warum wann welche welcher welches welchen wo wer was wozu wieso woher ich mir mich mein meine meinen meiner wir uns unser ihr ihre ihren kein keine keinen sein sollte muss müssen können soll gibt beim vom ob da dann denn dies diese dieser dieses diesem diesen',
  fr: 'le la les de des du un une et est dans que qui pour sur par avec au aux ce cette ces il elle ne pas sont plus ou se son sa ses leur être été peut nous vous dont mais comme entre comment pourquoi quel quelle quels quelles quoi où quand je j mon ma mes notre nos votre vos leurs y a ont doit faut faire fait si aussi sans sous donc ni toutes tous tout toute',
  es: 'el la los las de del un una y en que es por con para se no su sus al lo como más o pero este esta estos son ha fue ser puede entre cuando sin sobre también desde hasta cómo qué cuál cuáles cuándo dónde quién quiénes yo mi mis nuestro me te le les hay hacer puedo debo sí ya ni todo todos todas muy',
  it: 'il lo la i gli le di del della dei delle un una e è in che per con non si da al alla sono come più ma o anche questo questa nel nella suo sua essere può tra quando ogni perché quale quali dove chi cosa io mio mia mi ci ho ha hanno devo posso fare se né tutti tutte molto già',
  pt: 'o a os as de do da dos das um uma e é em que por com para se não no na nos nas ao mais como ou mas este esta são foi ser pode entre quando sem sobre também seu sua qual quais onde quem porque eu meu minha me há tem fazer posso devo já nem todos todas muito pela pelo',
  nl: 'de het een en van in is dat op te voor met zijn niet aan die er om ook als maar bij uit of door naar over wordt worden deze kan heeft nog wel dan hun geen meer hoe waarom wanneer welke waar wie wat ik mijn me wij ons onze jij je u uw moet mag doen dit ze hij dus',
  sv: 'och i att det som en på är av för med till den har de inte om ett ska kan från vid eller men så när också efter sin var blir hur mot denna detta varför vilken vilka vilket vem vad jag min mitt mina vi oss vår ni er måste gör göra där upp',
  pl: 'i w na z do się nie że jest to o od po jak dla za przez oraz są może być który która które tego lub ale ich przy tym jego tylko między dlaczego kiedy gdzie kto co jaka jakie jaki ja mój moja mi nas nasz czy mam mogę trzeba bez pod nad przed',
}
/** Languages of the Latin script are told apart by their words, the others by their script. */
const SCRIPTS: readonly (readonly [language: string, letters: RegExp])[] = [
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['ko', /\p{Script=Hangul}/gu],
  ['zh', /\p{Script=Han}/gu],
  ['cyrillic', /\p{Script=Cyrillic}/gu],
  ['el', /\p{Script=Greek}/gu],
  ['arabic', /\p{Script=Arabic}/gu],
  ['he', /\p{Script=Hebrew}/gu],
  ['th', /\p{Script=Thai}/gu],
  ['devanagari', /\p{Script=Devanagari}/gu],
  ['latin', /\p{Script=Latin}/gu],
]
const LETTERS = /\p{L}/gu
const OTHER_LETTER = /(?!\p{Script=Latin})\p{L}/u
const WORDS = /[\p{L}\p{M}]+/gu
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const ASCII = /^[\x00-\x7f]*$/
const ASCII_WORDS = /[a-z]+/g

/** All that `languageOf` returns. */
export const LANGUAGES: readonly string[] = [
  ...Object.keys(FUNCTION_WORDS),
  ...SCRIPTS.map(([name]) => name).filter(name => name !== 'latin'),
]

/** The languages of each function word. */
const LANGUAGES_OF = new Map<string, string[]>()
for (const [language, words] of Object.entries(FUNCTION_WORDS))
  for (const word of words.split(' ')) addTo(LANGUAGES_OF, word, language)
/** What stands before an apostrophe in French and Italian. English has "s", "t" and "d" behind one, so they do not tell a language. */
const ELISIONS = 'l d qu n j c m t s jusqu lorsqu puisqu quelqu un all dell nell sull dall dov com'
/** All of them: no key term of any text is among them. */
export const ALL_FUNCTION_WORDS: ReadonlySet<string> = new Set([...LANGUAGES_OF.keys(), ...ELISIONS.split(' ')])

/** Longest part of a text that is read, in UTF-16 code units. */
const LONGEST_READ = 8_000
const FEWEST_WORDS = 8
/** Different function words that a language needs: "default time until a job step counts as unkillable" has two of Portuguese. */
const LEAST_DIFFERENT = 3
/** Share of the words of a text that must be function words of the language. */
const LEAST_SHARE = 0.15
/** How many times as many function words as the next language has. */
const LEAST_LEAD = 1.25
/** Japanese mixes kana with Chinese characters, and every language quotes names in Latin letters. */
const LEAST_SCRIPT_SHARE: Readonly<Record<string, number>> = { ja: 0.1, latin: 0.8 }

/**
 * The language of a text: `en`, `de`, … for those with a list of words above, `ja`, `ko`, … or the name of a script for other scripts.
 * Null when it cannot be told: short texts, code, languages without a list.
 */
export function languageOf(text: string): string | null {
  const start = text.slice(0, LONGEST_READ)
  // Most English texts are, and the words of such a text are found more quickly.
  if (ASCII.test(start)) return latinLanguageOf(start.toLowerCase().match(ASCII_WORDS) ?? [])
  const read = start.normalize('NFC').toLowerCase()
  const script = OTHER_LETTER.test(read) ? scriptOf(read) : 'latin'
  return script === 'latin' ? latinLanguageOf(read.match(WORDS) ?? []) : (script ?? null)
}

/** `languageOf`, remembered for the last texts. */
export const knownLanguageOf = remembered(languageOf, { entries: 8_000 })

function scriptOf(read: string): string | undefined {
  const letters = read.match(LETTERS)?.length ?? 0
  return SCRIPTS.find(
    ([name, pattern]) => (read.match(pattern)?.length ?? 0) / letters >= (LEAST_SCRIPT_SHARE[name] ?? 0.4),
  )?.[0]
}

/** Whether words in lower case have as many function words of English as of another language of the Latin script, so that nothing speaks against English. */
export function isRatherEnglish(words: readonly string[]): boolean {
  const counts = functionWordsIn(words)
  const english = counts.get('en') ?? 0
  return [...counts.values()].every(count => count <= english)
}

function latinLanguageOf(words: readonly string[]): string | null {
  if (words.length < FEWEST_WORDS) return null
  const [first, second] = [...functionWordsIn(words)].sort(([, one], [, other]) => other - one)
  if (first === undefined || first[1] < LEAST_SHARE * words.length) return null
  if ((functionWordsIn(new Set(words)).get(first[0]) ?? 0) < LEAST_DIFFERENT) return null
  return first[1] >= LEAST_LEAD * (second?.[1] ?? 0) ? first[0] : null
}

/** How many of the words are function words of each language that has some. */
function functionWordsIn(words: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words)
    for (const language of LANGUAGES_OF.get(word) ?? []) counts.set(language, (counts.get(language) ?? 0) + 1)
  return counts
}
