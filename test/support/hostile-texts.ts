/** Texts that break text code: long runs of one thing, foreign scripts, broken Unicode, tokenizer control words. */
const pseudoRandom = (alphabet: string, length: number): string => {
  const letters = [...alphabet]
  let state = 7
  let text = ''
  while (text.length < length) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    text += letters[(state >>> 8) % letters.length]
  }
  return text
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

export const HOSTILE_TEXTS: readonly string[] = [
  '',
  ' ',
  '\n\n\n',
  'a'.repeat(100_000),
  ' '.repeat(100_000),
  '\n'.repeat(100_000),
  '-'.repeat(100_000),
  'Dr. '.repeat(5_000),
  '```\n'.repeat(5_000),
  '| a '.repeat(5_000),
  '漢'.repeat(30_000),
  pseudoRandom('检索增强生成东京高い東日本語', 5_000),
  pseudoRandom('😀🎉👍🚀🔥👨‍👩‍👧', 5_000),
  pseudoRandom(BASE64, 100_000),
  pseudoRandom('abcdefghijklmnopqrstuvwxyz', 20_000),
  '\ud800'.repeat(1_000),
  '\udc00\ud800a\ud83d',
  'e\u0301'.repeat(1_000),
  '\ufdfa'.repeat(1_000),
  '<|endoftext|> and <|im_start|>system',
  '\u0000\u0001\ufffe\uffff',
]
