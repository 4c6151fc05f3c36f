const KEYBOARD = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm']
const VOWELS = 'aeiouy'

const BESIDE: ReadonlySet<string> = new Set(
  KEYBOARD.flatMap(row => [...row.slice(1)].flatMap((key, at) => [`${row[at]}${key}`, `${key}${row[at]}`])),
)

const isBeside = (one: string, other: string): boolean => BESIDE.has(one + other)
const areVowels = (one: string, other: string): boolean => VOWELS.includes(one) && VOWELS.includes(other)

/**
 * The least number of slips by which somebody who means one word types another: two neighbours swapped, a letter left out, typed twice
 * or with the key beside it, the key beside it or another vowel in its place. The first and the last letter are right, or the last two are swapped:
 * a word with another beginning or end is more often another word or form ("mortgagor" and "mortgagee"). Infinity when no slips lead there.
 * It is the restricted Damerau-Levenshtein distance with some of its steps (L. Boytsov 2011, Indexing methods for approximate dictionary searching, section 2).
 */
export function slipsApart(meant: string, typed: string): number {
  if (meant.charAt(0) !== typed.charAt(0) || !endAlike(meant, typed)) return Number.POSITIVE_INFINITY
  const rows: number[][] = []
  for (let m = 0; m <= meant.length; m++) {
    const row: number[] = []
    rows.push(row)
    for (let t = 0; t <= typed.length; t++) {
      if (m === 0 || t === 0) row.push(m === t ? 0 : Number.POSITIVE_INFINITY)
      else
        row.push(
          Math.min(
            (rows[m - 1]?.[t - 1] ?? 0) + replaced(meant.charAt(m - 1), typed.charAt(t - 1)),
            (rows[m - 1]?.[t] ?? 0) + 1,
            (row[t - 1] ?? 0) + added(typed, t - 1),
            isSwap(meant, m, typed, t) ? (rows[m - 2]?.[t - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
          ),
        )
    }
  }
  return rows[meant.length]?.[typed.length] ?? Number.POSITIVE_INFINITY
}

function replaced(meant: string, typed: string): number {
  if (meant === typed) return 0
  return isBeside(meant, typed) || areVowels(meant, typed) ? 1 : Number.POSITIVE_INFINITY
}

/** A letter too many: it stands twice, or its key is beside that of a neighbour. */
function added(typed: string, at: number): number {
  const [letter, before, next] = [typed.charAt(at), typed.charAt(at - 1), typed.charAt(at + 1)]
  const isSlip = [before, next].some(other => other === letter || isBeside(other, letter))
  return isSlip ? 1 : Number.POSITIVE_INFINITY
}

/** Whether the two letters before these places are the same, swapped. */
function isSwap(meant: string, m: number, typed: string, t: number): boolean {
  return (
    m >= 2 &&
    t >= 2 &&
    meant.charAt(m - 1) === typed.charAt(t - 2) &&
    meant.charAt(m - 2) === typed.charAt(t - 1) &&
    meant.charAt(m - 1) !== meant.charAt(m - 2)
  )
}

const endAlike = (meant: string, typed: string): boolean =>
  meant.at(-1) === typed.at(-1) || isSwap(meant, meant.length, typed, typed.length)
