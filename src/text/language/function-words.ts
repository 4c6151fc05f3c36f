import { addTo } from '../../core/collections.ts'

/**
 * Frequent short words of a language. Danish has those of Norwegian, Indonesian those of Malay. Words that several of these languages share are counted for each of them, so that a language needs
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
  da: 'og i at det er en et til på af som for med der den de ikke kan har fra om eller du hvis også når ved være var skal vil blive bliver efter over under denne dette disse hvor hvordan hvorfor hvad hvilken hvilke hvem jeg mig min mit mine vi os vores man så men sig sin sit alle av etter når noe noen ikke hva hvilket bare blir må kun mellem mellom mod mot',
  id: 'yang dan di untuk dari dengan pada ini dalam itu adalah atau akan ke tidak dapat anda jika oleh sebagai juga karena lebih bila saat ada bisa telah sudah harus secara seperti hanya agar maka tersebut semua setiap apa bagaimana mengapa kapan mana siapa saya kami kita mereka ia dia hal bahwa antara setelah sebelum tanpa lain beberapa kepada hingga sampai ialah boleh',
  pl: 'i w na z do się nie że jest to o od po jak dla za przez oraz są może być który która które tego lub ale ich przy tym jego tylko między dlaczego kiedy gdzie kto co jaka jakie jaki ja mój moja mi nas nasz czy mam mogę trzeba bez pod nad przed',
}

/** The languages of each function word. */
const LANGUAGES_OF = new Map<string, string[]>()
for (const [language, words] of Object.entries(FUNCTION_WORDS))
  for (const word of words.split(' ')) addTo(LANGUAGES_OF, word, language)
/** What stands before an apostrophe in French and Italian. English has "s", "t" and "d" behind one, so they do not tell a language. */
const ELISIONS = 'l d qu n j c m t s jusqu lorsqu puisqu quelqu un all dell nell sull dall dov com'
/** All of them: no key term of any text is among them. */
export const ALL_FUNCTION_WORDS: ReadonlySet<string> = new Set([...LANGUAGES_OF.keys(), ...ELISIONS.split(' ')])

/** How many of the words are function words of each language that has some. */
export function functionWordsIn(words: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words)
    for (const language of LANGUAGES_OF.get(word) ?? []) counts.set(language, (counts.get(language) ?? 0) + 1)
  return counts
}

/**
 * Whether words in lower case have as many function words of English as of another language of the Latin script. One word says nothing: "man page" and
 * "du command" are English.
 */
export function isRatherEnglish(words: readonly string[]): boolean {
  const counts = functionWordsIn(words)
  const most = Math.max(1, counts.get('en') ?? 0)
  return [...counts.values()].every(count => count <= most)
}
