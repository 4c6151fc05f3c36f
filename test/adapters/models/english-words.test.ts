import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import wordListPath from 'word-list'
import { readEnglishWords } from '../../../src/adapters/models/english-words.ts'
import { SHIPPED_RERANKER } from '../../../src/wiring/models.ts'

const isWord = await readEnglishWords(SHIPPED_RERANKER)

it('knows the words of the list, the first and the last ones too, and no parts of them', () => {
  const words = readFileSync(wordListPath, 'utf8').split('\n').filter(Boolean)
  expect(words.filter(word => !isWord(word))).toEqual([])
  expect(
    ['', 'wtaer', 'isjaroth', 'zzzzzz', 'aaaaaa', 'hypertensio', 'ypertension', 'Word\nList'].filter(isWord),
  ).toEqual([])
})

it('knows forms of words, and names', () => {
  const words = ['overheats', 'formatters', 'hypertension', 'mortgagor', 'colour', 'hamburg', 'wikipedia']
  expect(words.filter(word => !isWord(word))).toEqual([])
})

it('refuses a folder without a tokenizer', async () => {
  await expect(readEnglishWords('/nowhere')).rejects.toThrow(/tokenizer\.json/u)
})
