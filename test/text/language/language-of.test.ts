import { describe, expect, it } from 'vitest'
import { isRatherEnglish } from '../../../src/text/language/function-words.ts'
import { LANGUAGES, languageOf, OTHER_LATIN } from '../../../src/text/language/language-of.ts'
import { encodeKeywordQuery, encodeKeywords } from '../../../src/text/terms/keyword-vectors.ts'
import { HOSTILE_TEXTS } from '../../support/hostile-texts.ts'

/** The same advice: the keeper closes the gate at night, and the bell is rung first. */
const ADVICE: readonly (readonly [language: string | null, text: string])[] = [
  [
    'en',
    'The keeper closes the gate at night, and the bell is rung before that, so that all who are in the yard can leave it.',
  ],
  [
    'de',
    'Der Wärter schließt das Tor in der Nacht, und die Glocke wird vorher geläutet, damit alle aus dem Hof gehen können.',
  ],
  ['da', 'Vagten lukker porten om natten, og klokken bliver slået før det, så alle der er i gården kan gå ud af den.'],
  [
    'sv',
    'Vakten stänger porten på natten, och klockan ringer innan det är dags, så att alla som är på gården kan gå ut.',
  ],
  [
    'id',
    'Penjaga menutup gerbang pada malam hari, dan lonceng akan dibunyikan sebelum itu agar semua yang ada di halaman dapat pergi.',
  ],
  [
    OTHER_LATIN,
    'Hlídač zavírá bránu na noc a předtím zazvoní zvon, aby všichni, kdo jsou na dvoře, mohli včas odejít domů.',
  ],
  [
    OTHER_LATIN,
    'Bekçi geceleyin kapıyı kapatır ve ondan önce çan çalınır, böylece avluda olan herkes zamanında dışarı çıkabilir.',
  ],
  [OTHER_LATIN, 'Người gác đóng cổng vào ban đêm, và chuông được rung trước đó để mọi người trong sân có thể ra về.'],
  [
    OTHER_LATIN,
    'Az őr éjszaka bezárja a kaput, és előtte megszólal a harang, hogy mindenki időben elhagyhassa az udvart.',
  ],
  ['el', 'Ο φύλακας κλείνει την πύλη τη νύχτα και πριν από αυτό χτυπά η καμπάνα για να φύγουν όλοι.'],
  ['cyrillic', 'Сторож закрывает ворота на ночь, а перед этим звонит колокол, чтобы все могли уйти со двора.'],
  ['ko', '문지기는 밤에 문을 닫고, 그 전에 종을 울려 마당에 있는 모든 사람이 나갈 수 있게 한다.'],
  ['zh', '看门人晚上关门，关门前先敲钟，让院子里的人都能离开。'],
  ['ja', '門番は夜に門を閉め、その前に鐘を鳴らして、庭にいる人が皆出られるようにする。'],
  ['other', 'អ្នកយាមបិទទ្វារនៅពេលយប់ ហើយវាយជួងមុននោះ ដើម្បីឱ្យអ្នកទាំងអស់អាចចេញបាន។'],
  ['other', 'კარიბჭეს მცველი ღამით კეტავს და მანამდე ზარს რეკავს, რომ ყველამ შეძლოს ეზოდან გასვლა.'],
]

describe('the language of a text', () => {
  it.each(ADVICE)('is told: %s', (language, text) => {
    expect(languageOf(text)).toBe(language)
    expect(LANGUAGES).toContain(language)
  })

  it.each([
    ['a few words', 'Porten lukkes om natten'],
    [
      'a foreign name in a table without sentences',
      'Müller 12 yes no open | Smith 13 no no closed | Müller 14 yes yes open | Jones 15 no yes open',
    ],
    [
      'the letters of hashes, which are words of Portuguese',
      '[`a9e8f7d`] [`9da0e1a`] [`0a1e2d3`] [`7o9a8e1`] [`5as0e1d`] [`3a4e5o6`] [`2e8a9d0`] [`8da7e6a`]',
    ],
    ['units with a micro sign', 'read 3.14 µs write 3.16 µs total 6.30 µs mean 2.1 µs p50 µs p99 µs min µs max µs'],
  ])('is not told from %s', (_what, text) => {
    expect(languageOf(text)).toBeNull()
  })

  it('of any text is one of the list', () => {
    for (const text of HOSTILE_TEXTS) expect([null, ...LANGUAGES]).toContain(languageOf(text))
  })
})

describe('a short question', () => {
  it.each(['man page', 'du command', 'die casting', 'var scope', 'how to print at night'])('is English: %s', query => {
    expect(isRatherEnglish(query.split(' '))).toBe(true)
  })

  it('in English is found by a word that another language has as a function word', () => {
    const { indices } = encodeKeywords('du reports disk usage')
    const asked = new Set(encodeKeywordQuery('du').indices)
    expect(indices.some(index => asked.has(index))).toBe(true)
  })

  it('in another language has more of its words', () => {
    expect(isRatherEnglish(['was', 'ist', 'die', 'glocke'])).toBe(false)
  })
})
