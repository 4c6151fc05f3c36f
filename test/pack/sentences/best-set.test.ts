import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finish } from '../../../src/core/steps.ts'
import { CostModel } from '../../../src/pack/cost.ts'
import { RENDERERS } from '../../../src/pack/render.ts'
import { bestSentences } from '../../../src/pack/sentences/best-set.ts'
import { splitSentences } from '../../../src/text/sentences/sentences.ts'
import { candidate, countWords, inSteps } from '../../support/candidates.ts'
import { HOSTILE_TEXTS } from '../../support/hostile-texts.ts'

const newCost = (budget: number) => new CostModel(RENDERERS.markdown, inSteps(countWords), budget)

function chosen(text: string, matches: readonly number[], room: number, query: string | null = null): string[] {
  const units = finish(bestSentences(candidate({ id: 'a', text }), query, matches, room, newCost(room)))
  return units.map(({ start, end }) => text.slice(start, end).trim())
}

const sentence = fc
  .array(fc.constantFrom('harbour', 'tide', 'pump', 'gate', 'lamp'), { minLength: 1, maxLength: 6 })
  .map(words => `The ${words.join(' ')}.`)
const matched = fc.array(fc.tuple(sentence, fc.double({ min: -4, max: 8, noNaN: true })), {
  minLength: 1,
  maxLength: 9,
})

/** As documented, for one paragraph without lead-ins: the sum of the shared probabilities less the price of gaps, and the bonus of the last sentence. */
function worthOf(places: readonly number[], matches: readonly number[]): number {
  const odds = matches.map(match => Math.exp(match))
  const sum = odds.reduce((total, own) => total + own, 0)
  const own = odds.map(value => value / sum)
  const worth = own.map((value, at) => value + 0.15 * ((own[at - 1] ?? 0) + (own[at + 1] ?? 0)))
  const bonus = places.includes(matches.length - 1) ? 0.03 : 0
  return places.reduce((total, place) => total + (worth[place] ?? 0), bonus) - 0.06 * gapsOf(places)
}

const gapsOf = (places: readonly number[]) =>
  places.filter((place, at) => at > 0 && place !== (places[at - 1] ?? 0) + 1).length

function naiveBest(tokens: readonly number[], matches: readonly number[], room: number): number {
  let best = 0
  for (let set = 1; set < 2 ** tokens.length; set++) {
    const places = tokens.flatMap((_, at) => ((set >> at) & 1 ? [at] : []))
    const cost = places.reduce((total, place) => total + (tokens[place] ?? 0), 4 * gapsOf(places))
    if (cost <= room) best = Math.max(best, worthOf(places, matches))
  }
  return best
}

describe('the best sentences of a chunk', () => {
  it('fit, are in order, and are worth as much as the best of all sets', () => {
    fc.assert(
      fc.property(matched, fc.integer({ min: 8, max: 60 }), (rows, room) => {
        const text = rows.map(([one]) => one).join(' ')
        const matches = rows.map(([, match]) => match)
        const cost = newCost(room)
        const chunk = candidate({ id: 'a', text })
        const units = finish(bestSentences(chunk, null, matches, room, cost))
        const total = finish(cost.costsOf(units)).reduce((sum, own) => sum + own, 0)
        expect(total).toBeLessThanOrEqual(room)
        for (const [at, { start }] of units.entries())
          if (at > 0) expect(start).toBeGreaterThanOrEqual(units[at - 1]?.end ?? 0)

        const sentences = splitSentences(text)
        const tokens = sentences.map(({ text: own }) => countWords(own))
        const frame = finish(cost.costOf({ candidate: chunk, start: 0, end: 0, value: 1 }))
        const places = units.map(({ start }) => sentences.findIndex(own => own.start === start))
        const only = places.map(place => tokens.map((_, at) => (at === place ? 1 : 0)))
        expect(only.every(row => row.includes(1))).toBe(true)
        const worth = worthOf(places, matches)
        // The cost model counts a token more for each sentence that begins a run, so a choice at the border can be cut once more.
        expect(worth).toBeGreaterThanOrEqual(naiveBest(tokens, matches, room - frame - 2 * rows.length) - 1e-9)
        expect(worth).toBeLessThanOrEqual(naiveBest(tokens, matches, room - frame + 2 * rows.length) + 1e-9)
      }),
      { numRuns: 300 },
    )
  })

  it.each([
    ['Is it open?', [6, 1, 1, 2], ['Yes, the gate is open.', 'A lamp burns above the gate.']],
    ['It is open now', [6, 1, 1, 2], ['The pump runs until the tide turns.', 'A lamp burns above the gate.']],
    ['Is it open?', [-6, 1, 1, 2], ['The pump runs until the tide turns.', 'A lamp burns above the gate.']],
  ])('begin with the answer where the title %s matches the question', (title, matches, expected) => {
    const heading = `## ${title}\n\n`
    const text = `${heading}Yes, the gate is open. The pump runs until the tide turns. A lamp burns above the gate.`
    const shown = { ...candidate({ id: 'a', text, sectionPath: `Gates > ${title}` }), textStart: heading.length }
    const units = finish(bestSentences(shown, null, matches, 32, newCost(32)))
    const sentences = units.map(({ start, end }) => text.slice(start, end).trim())
    expect(sentences).toEqual(expected)
  })

  it('are a sentence rather than fenced code that matches a little better', () => {
    const code = '```sh\npump open --at nine --bell one\n```'
    const sentence = 'The keeper opens the pump at nine.'
    const room = 26
    expect(chosen(`${sentence}\n\n${code}\n`, [2, 2.5], room)).toEqual([sentence])
    expect(chosen(`${code}\n\n${sentence}\n`, [2.5, 2], room)).toEqual([sentence])
    expect(chosen(`${code}\n\n${sentence}\n`, [5, 2], room)).toEqual([code])
  })

  const TEXT =
    'The pump is old. The keys hang in the hall. The lamps are lit. The gate opens at nine. The rope is dry. The bell is loud.'

  it('are two parts with a gap when both may answer', () => {
    expect(chosen(TEXT, [0, 6, 0, 0, 6, 0], 26)).toEqual(['The keys hang in the hall.', 'The rope is dry.'])
  })

  it('are joined when the one between costs little', () => {
    expect(chosen(TEXT, [0, 6, 0, 5.8, 0, 0], 29).join(' ')).toContain(
      'The keys hang in the hall. The lamps are lit. The gate opens at nine.',
    )
  })

  it('follow the words of the question when the matches are equal', () => {
    expect(chosen(TEXT, [1, 1, 1, 1, 1, 1], 14, 'when does the gate open')[0]).toBe('The gate opens at nine.')
  })

  it('are none when not one fits, and none of headings and lead-ins alone', () => {
    expect(chosen(TEXT, [0, 0, 0, 0, 0, 0], 5)).toEqual([])
    expect(chosen('## Pumps\n\nYou need:\n', [9, 9], 40)).toEqual([])
  })

  it('do not end with a lead-in, and bring it when what follows is chosen', () => {
    const text =
      'The old pump stands in the hall of the keeper.\n\nYou need:\n\n- a rod\n- a bell\n\nThe pump is loud and old and worn.'
    for (let room = 6; room < 50; room++)
      expect(chosen(text, [2, 1, 1, 1, 0], room).at(-1) ?? '').not.toMatch(/need:$/u)
    expect(chosen(text, [0, 0, 5, 5, 0], 20)).toEqual(['You need:', '- a rod', '- a bell'])
  })

  it('do not end with the label of a box in a quotation', () => {
    for (const label of ['Note', '**Tip**', '**Pumps of the hall**']) {
      const text = `The keeper pays.\n\n> ${label}\n>\n> The pump is loud and old, and it is to be kept from the boats at all times.\n`
      for (let room = 6; room < 60; room++)
        expect(chosen(text, [2, 5, 2, 1], room).at(-1) ?? '').not.toMatch(/(?:Note|Tip\*\*|hall\*\*)[\s>]*$/u)
    }
  })

  it('do not begin or end with code that holds brackets alone, also where it names a language', () => {
    for (const code of ['```json\n}\n```', '```json\n```', '~~~ sh\n[…]\n~~~']) {
      const text = `The keeper pays the fee at noon.\n\n${code}\n\nThe pump is loud and old.\n`
      for (const matches of [
        [2, 5, 1],
        [0, 9, 0],
        [1, 5, 2],
      ])
        for (let room = 6; room < 24; room++) {
          const found = chosen(text, matches, room)
          for (const end of [found[0], found.at(-1)]) expect(end).not.toBe(code)
        }
    }
    const code = '```json\n{"pump": 1}\n```'
    expect(chosen(`The keeper pays.\n\n${code}\n`, [0, 9], 30).at(-1)).toBe(code)
  })

  it('do not end with the numbered title of a clause, but may with a numbered item that is a sentence of its own', () => {
    const text =
      'The keeper pays the fee.\n\n3.4. Notices of Leaks\n\nEach notice goes to the office by boat, in writing, and is read aloud in the hall.'
    for (let room = 6; room < 60; room++) expect(chosen(text, [2, 5, 1], room).at(-1)).not.toBe('3.4. Notices of Leaks')
    expect(chosen(text, [0, 5, 4], 40)).toContain('3.4. Notices of Leaks')
    expect(chosen('The keeper pays.\n\n3. Call the office\n\nThe rest is old.', [0, 9, 0], 14)).toEqual([
      '3. Call the office',
    ])
  })

  it('in a table come with its head, once', () => {
    const rows = ['one', 'two', 'three', 'four', 'five', 'six'].map(name => `| Mark ${name} | 1${name} |`)
    const text = ['Sizes of the pumps in this hall.', '', '| pump | casks |', '| --- | --- |', ...rows].join('\n')
    const matches = splitSentences(text).map(({ text: own }) => (/two|six/u.test(own) ? 6 : 0))
    const found = chosen(text, matches, 60)
    expect(found.filter(own => own === '| pump | casks |')).toHaveLength(1)
    expect(found.join()).toContain('Mark two')
    expect(found.join()).toContain('Mark six')
  })

  it('in a table are two rows where both fit with its head, which is paid once', () => {
    const rows = ['one', 'two', 'three', 'four', 'five', 'six'].map(name => `| Mark ${name} | 1${name} |`)
    const text = ['| pump | casks | height | depth | width | weight |', '|---|---|---|---|---|---|', ...rows].join('\n')
    const sentences = splitSentences(text)
    const matches = sentences.map(({ text: own }) => (/two|six/u.test(own) ? 6 : -6))
    const chunk = candidate({ id: 'a', text })
    const wanted = sentences.filter(({ text: own }) => !/one|three|four|five/u.test(own))
    const units = wanted.map(({ start, end }) => ({ candidate: chunk, start, end, value: 1 }))
    const room = finish(newCost(200).costsOf(units)).reduce((sum, own) => sum + own, 0)
    // The knapsack counts some tokens for line breaks that the cost model does not.
    expect(chosen(text, matches, room + 6)).toEqual(expect.arrayContaining(wanted.map(({ text: own }) => own.trim())))
  })

  it('in a table are the row that answers, however well the names of the columns match', () => {
    const rows = ['one', 'two', 'three', 'four', 'five', 'six'].map(name => `| Mark ${name} | 1${name} |`)
    const text = ['Sizes of the pumps.', '', '| pump | casks |', '| --- | --- |', ...rows].join('\n')
    const matches = [2, 9, 0, 0, 0, 0, 0, 0, 3]
    expect(chosen(text, matches, 36)).toEqual(['| pump | casks |', '| --- | --- |', '| Mark six | 1six |'])
  })

  it('in a table are the row whose cell the question names, however alike the others look to the reranker', () => {
    const rows = ['6101 | no answer', '6104 | check word wrong', '6107 | slack', '6109 | stolen', '6110 | crowded']
    const table = ['| Code | Meaning |', '|---|---|', ...rows.map(row => `| ISH-${row} |`)]
    const matches = [8, 0, 5, 4, 4, 4, 2]
    const rowsFor = (query: string) => chosen(table.join('\n'), matches, 38, query).slice(2)
    expect(rowsFor('ISH-6109 meaning')).toEqual(['| ISH-6109 | stolen |'])
    expect(rowsFor('what does ish-6110 mean?')).toEqual(['| ISH-6110 | crowded |'])
    expect(rowsFor('Is the check word wrong?')).toContain('| ISH-6104 | check word wrong |')
    // A part of a cell and the name of a column are no names of rows.
    for (const query of ['ISH-61 code meaning', 'ISH']) expect(rowsFor(query)[0]).toBe('| ISH-6101 | no answer |')
  })

  it('in a list are the item that answers, and not the first one, however well the lead-in matches', () => {
    const items = ['a rod', 'a bell', 'a lamp of the hall', 'a rope'].map(item => `- ${item}`)
    const text = ['The old pump stands here.', '', 'You need one of these:', '', ...items].join('\n')
    expect(chosen(text, [0, 5, 1, 1, 4, 1], 14)).toEqual(['- a lamp of the hall'])
    // A lead-in of a single item still leads to it.
    expect(chosen('The pump is old.\n\nYou need:\n\n- a rod\n\nThe lamp is lit.', [0, 5, 0, 1], 18)).toEqual([
      'You need:',
      '- a rod',
    ])
  })

  it('in a list come with the line that announces it, or with the item above a nested one, when that is short', () => {
    const furnace = 'The bell rings.\n\nNever put these in:\n\n- wet clay\n- foil of the hall\n- a rope\n'
    expect(chosen(furnace, [0, 0, 0, 5, 0], 22)).toEqual(['Never put these in:', '- foil of the hall'])
    expect(chosen(furnace, [0, 0, 0, 5, 0], 14)).toEqual(['- foil of the hall'])
    const tools = '- Forbidden:\n  - a laser\n  - a torch\n- Allowed:\n  - a hammer\n  - a saw of the hall\n'
    expect(chosen(tools, [0, 0, 0, 0, 0, 6], 21)).toEqual(['- Allowed:', '- a saw of the hall'])
  })

  it('of code whose end is in the next chunk are the lines that are asked for, below the fence', () => {
    const lines = Array.from({ length: 12 }, (_, i) => `ring(bell${i}, at, ${i});`)
    for (const opening of ['```js', '```'])
      expect(chosen([opening, ...lines].join('\n'), [0], 28, 'bell7')).toEqual([opening, 'ring(bell7, at, 7);'])
    const stray = ['The bells.', '```', ...lines].join('\n')
    expect(chosen(stray, [0, 9], 28, 'bell7')).toEqual(['The bells.'])
  })

  it('of code are no brackets without the lines above them', () => {
    const lines = ['when the tide of the harbour rises {', '  open the gate of it now', '}', 'else close it {', '}']
    const code = ['The harbour has a gate.', '', '```js', ...lines, '```'].join('\n')
    expect(chosen(code, [0, 9], 26)).toEqual(['The harbour has a gate.'])
    expect(chosen(code, [0, 9], 31)).toEqual(['```js', 'else close it {', '}', '```'])
  })

  it('of very many rows and items that all announce something are chosen in linear time', () => {
    const rows = Array.from({ length: 3_000 }, (_, at) => `| ${at}: | row |`)
    const items = Array.from({ length: 2_000 }, (_, at) => `- item ${at}:`)
    const text = ['| a | b |', '|---|---|', ...rows, '', 'Also:', '', ...items, '- the end'].join('\n')
    expect(
      chosen(
        text,
        splitSentences(text).map((_, at) => at % 7),
        60,
      ).length,
    ).toBeGreaterThan(0)
  })

  it('are the explanation of the option that the question asks for, however alike the others look to the reranker', () => {
    const options = ['-E log_file', '-e escape_char', '-F configfile']
    const manual = options.map((name, at) => `${name}\n        Says something about file ${at}.\n`).join('\n')
    const matches = splitSentences(manual).map((_, at) => at / 10)
    const textFor = (query: string) => chosen(manual, matches, 15, query).join('\n')
    expect(textFor('What does ssh -E do?')).toContain('about file 0')
    expect(textFor('What does ssh -e do?')).toContain('about file 1')
    expect(textFor('What does ssh do?')).not.toContain('about file 0')
    const help = ['all', 'many', 'most', 'some', 'few', 'none'].map(name => `  --${name}  Lists ${name} of the gates`)
    const fenced = `\`\`\`\n${help.join('\n')}\n\`\`\``
    const shown = chosen(fenced, [0], 40, 'argocd app --some').join('\n')
    expect(shown).toContain('--some  Lists some of the gates')
    expect(shown).not.toContain('--all')
  })

  it('are the line of code that sets what the question names, however often others name it', () => {
    const names = ['samples', 'shards', 'queue_size', 'backoff']
    const lines = names.flatMap(name => ['  # queue size, queue size, queue size', `  [ ${name}: <int> ]`])
    const code = `\`\`\`yaml\n${lines.join('\n')}\n\`\`\``
    for (const query of ['default of queue_size', 'How large is the queue size?'])
      expect(chosen(code, [0], 40, query)).toContain('[ queue_size: <int> ]')
  })

  it('are the item, or the paragraph, that begins with the name that the question has', () => {
    const items = ['name', 'role', 'url'].map(name => `- \`${name}\`: the auth user of it, for each auth user.`)
    items.splice(2, 0, '- `auth-user`: who may log in.')
    const paragraphs = items.map(item => item.slice(2).replaceAll('`', '**'))
    for (const text of [items.join('\n'), paragraphs.join('\n\n')]) {
      const shown = chosen(text, [0, 0, 0, 0], 30, 'What is auth-user in a list of servers?').join('')
      expect(shown).toMatch(/^\W*auth-user/)
      expect(shown).not.toContain('role')
    }
  })

  it('do not begin with the line below the names of a table, and leave sentences that fit when the head does not', () => {
    const names = `| ${Array.from({ length: 14 }, (_, at) => `name of column ${at}`).join(' | ')} |`
    const text = `The pump is old and stands in the hall.\n\n${names}\n|---|---|\n| Mark six | 12 casks |\n| Mark two | 3 casks |`
    const matches = [5, 0, 0, 6, 0]
    for (const room of [30, 40, 60, 80])
      expect(chosen(text, matches, room)).toEqual(['The pump is old and stands in the hall.'])
    const whole = chosen(text, matches, 120)
    expect(whole.slice(-4, -2)).toEqual([names, '|---|---|'])
    expect(whole.join()).toContain('Mark six')
  })

  it('have no gaps in a long list whose items match alike', () => {
    const text = Array.from({ length: 60 }, (_, at) => `- the lamp ${at} burns in house ${at}.`).join('\n')
    const units = finish(bestSentences(candidate({ id: 'a', text }), null, Array(60).fill(1), 150, newCost(150)))
    expect(units.length).toBeGreaterThan(10)
    for (const [at, { start }] of units.entries()) if (at > 0) expect(start).toBe(units[at - 1]?.end)
  })

  it('stay within the room for hostile texts and for matches that are missing or too many', () => {
    for (const text of HOSTILE_TEXTS) {
      for (const matches of [[], [1], Array.from({ length: 300 }, (_, at) => at % 7)]) {
        const cost = newCost(30)
        const units = finish(bestSentences(candidate({ id: 'a', text }), 'old pump', matches, 30, cost))
        expect(finish(cost.costsOf(units)).reduce((sum, own) => sum + own, 0)).toBeLessThanOrEqual(30)
      }
    }
  })
})
