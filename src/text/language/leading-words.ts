import { wordSet } from '../../core/collections.ts'
import { isRatherEnglish } from './function-words.ts'

/** English words that need another word behind them. Without those that may stand at the end: "log in", "what it is made for". */
const ENGLISH = wordSet('the of and that as a an or which its their your my our whose than because if')

/** Articles, prepositions and conjunctions of the languages of `FUNCTION_WORDS`, line by line. Without words that may stand at the end, such as German "an". */
const OTHERS = wordSet(`
  der die das und zu den von des für ein eine dem dass einer einem einen oder zur zum wenn beim vom
  le la les de des du un une et que qui pour sur par avec au aux ce cette ces ou se son sa ses dont mais comme entre notre nos votre vos leurs sans
  el la los las de del un una y en que por con para se su sus al o pero este esta estos entre cuando sin sobre desde hasta mi mis
  il lo la i gli le di del della dei delle un una e in che per con si da al alla o ma nel nella tra quando ogni
  o a os as de do da dos das um uma e em que por com para se no na nos nas ao ou mas entre quando sem sobre seu sua pela pelo
  de het een en van dat te met of als deze hun
  och att som en av för med till den de om ett från eller när
  og at en et til af for med den de fra om eller hvis når ved som
  yang dan di untuk dari dengan pada dalam atau ke oleh sebagai karena agar bahwa antara tanpa kepada
  i w na z się że do od po dla za przez oraz który lub ale przy między bez pod nad przed`)

/** What is looked at before the end, in UTF-16 code units. */
const LONGEST_READ = 200
/** A line of fewer words may be an entry of a list. */
const FEWEST_WORDS = 4
const LAST_WORD = /(?<![\p{L}\p{M}\p{N}_.-])\p{Ll}+$/u
const WORDS = /[\p{L}\p{M}]+/gu

/** Whether a text ends with a word that another one must follow, such as an article. A text of fewer than four words does not. */
export function endsOpen(text: string): boolean {
  const end = text.trimEnd().slice(-LONGEST_READ)
  const last = LAST_WORD.exec(end)?.[0] ?? ''
  if (!ENGLISH.has(last) && !OTHERS.has(last)) return false
  const all = end.toLowerCase().match(WORDS) ?? []
  return all.length >= FEWEST_WORDS && (isRatherEnglish(all) ? ENGLISH : OTHERS).has(last)
}
