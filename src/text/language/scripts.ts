import { prefixOf } from '../../core/prefix.ts'
import { rawWords } from '../terms/terms.ts'

/** Longest start of a text that is read, in UTF-16 code units. */
const LONGEST_READ = 1_000

/** Whether Unicode has a script of this name. */
export function isScript(name: string): boolean {
  try {
    return /^\w+$/u.test(name) && new RegExp(`\\p{Script=${name}}`, 'u') !== null
  } catch {
    return false
  }
}

/**
 * Says whether at least half of the words of a text are in some scripts. In scripts without spaces each character is a word.
 * @param scripts names of Unicode, such as `Han`; none holds no text
 * @throws SyntaxError when one is no script, see `isScript`
 */
export function inScripts(scripts: readonly string[]): (text: string) => boolean {
  if (scripts.length === 0) return () => false
  const letter = new RegExp(`[${scripts.map(script => `\\p{Script=${script}}`).join('')}]`, 'u')
  return text => {
    const words = rawWords(prefixOf(text, LONGEST_READ))
    return words.length > 0 && 2 * words.filter(word => letter.test(word)).length >= words.length
  }
}
