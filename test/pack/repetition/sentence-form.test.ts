import { describe, expect, it } from 'vitest'
import { lengthInWords, sentenceForm } from '../../../src/pack/repetition/sentence-form.ts'

describe('two sentences are the same when they differ only', () => {
  it.each([
    ['in white space and line breaks', 'Hang your tag\non the hook. ', 'Hang your  tag on the\u00a0hook.'],
    ['in the bullet', '- Hang your tag on the hook', '* Hang your tag on the hook'],
    ['in emphasis', '**Never** start the *pump* alone.', 'Never start the pump alone.'],
    ['in the mark at the end', 'Hang your tag on the hook;', 'Hang your tag on the hook.'],
    ['in the shape of quotation marks', 'Say “ready” and wait.', 'Say "ready" and wait.'],
    ['in the case of the first word', 'the gate is closed at noon', 'The gate is closed at noon.'],
    ['in the dash', 'It takes 5–10 minutes – no more.', 'It takes 5-10 minutes — no more.'],
    ['in the way of writing an accent', 'Schlu\u0308ssel nicht abziehen.', 'Schlüssel nicht abziehen.'],
    ['in an invisible character', 'Die Sicherheits\u00adregeln gelten immer.', 'Die Sicherheitsregeln gelten immer.'],
    ['in German quotation marks', '„Bereit“ rufen und warten!', '"Bereit" rufen und warten.'],
    ['in the full stop of Japanese', '作業の前に札を掛けてください。', '作業の前に札を掛けてください'],
  ])('%s', (_what, one, other) => {
    expect(sentenceForm(one)).toBe(sentenceForm(other))
  })
})

describe('two sentences are not the same when they differ', () => {
  it.each([
    ['in a number', 'The tank holds 40 litres.', 'The tank holds 45 litres.'],
    ['in a decimal', 'Set the gap to 1.5 mm.', 'Set the gap to 15 mm.'],
    ['in a sign', 'Keep it at -5 degrees.', 'Keep it at 5 degrees.'],
    ['in a comparison', 'Run it at < 5 bar.', 'Run it at > 5 bar.'],
    ['in a number as a word', 'Two hands open the gate.', 'Three hands open the gate.'],
    ['in the number of a step', '1. Hang your tag on the hook.', '3. Hang your tag on the hook.'],
    ['in not', 'The fee is refunded.', 'The fee is not refunded.'],
    ['in no', 'There is a limit on calls.', 'There is no limit on calls.'],
    ['in never and always', 'Always open the gate alone.', 'Never open the gate alone.'],
    ['in with and without', 'Start the pump with a tag.', 'Start the pump without a tag.'],
    ['in may and must', 'The clerk may sign the list.', 'The clerk must sign the list.'],
    ['in a contraction', 'You can enter the hall.', "You can't enter the hall."],
    ['in a day', 'The rule holds from 1 March 2024.', 'The rule holds from 2 March 2024.'],
    ['in a month', 'The rule holds from 1 March 2024.', 'The rule holds from 1 May 2024.'],
    ['in an ISO date', 'Valid until 2024-03-01 for all.', 'Valid until 2024-01-03 for all.'],
    ['in a version', 'This needs v1.2 of the tool.', 'This needs v1.12 of the tool.'],
    ['in the case of a unit', 'The lamp needs 5 mW of power.', 'The lamp needs 5 MW of power.'],
    ['in a unit', 'The pipe is 5 mm wide.', 'The pipe is 5 cm wide.'],
    ['in an inch', 'The pipe is 5" wide.', 'The pipe is 5 wide.'],
    ['in a currency', 'The toll is €5 a day.', 'The toll is $5 a day.'],
    ['in per cent', 'The toll rises by 5 % a year.', 'The toll rises by 5 a year.'],
    ['in a name', 'Oressa Tamm keeps the key.', 'Dorrin Tamm keeps the key.'],
    ['in the case of a name', 'Ask may at the desk.', 'Ask May at the desk.'],
    ['in an identifier', 'Set `max_size` in the file.', 'Set `maxSize` in the file.'],
    ['in a leading underscore', 'The field _id is set.', 'The field id is set.'],
    ['in a language', 'Write the tool in C++ now.', 'Write the tool in C# now.'],
    ['in a path', 'Read /etc/gate/a.conf first.', 'Read /etc/gate/b.conf first.'],
    ['in a role', 'The buyer pays the toll.', 'The seller pays the toll.'],
    ['in the order of words', 'The gate locks the pump.', 'The pump locks the gate.'],
    ['in being a question', 'The gate is open at noon?', 'The gate is open at noon.'],
    ['in being a heading', '## Open the gate at noon', 'Open the gate at noon'],
    ['in German: nicht', 'Die Pumpe darf laufen.', 'Die Pumpe darf nicht laufen.'],
    ['in German: kein', 'Es gibt eine Frist.', 'Es gibt keine Frist.'],
    ['in German: Zahl mit Komma', 'Der Spalt misst 1,5 mm.', 'Der Spalt misst 15 mm.'],
    ['in German: Geschlecht', 'Auf der Seite steht der Leiter.', 'Auf der Seite steht die Leiter.'],
    ['in German: Anrede', 'Dann können Sie gehen.', 'Dann können sie gehen.'],
    ['in German: Vorsilbe', 'Schalten Sie die Pumpe an.', 'Schalten Sie die Pumpe aus.'],
    ['in Japanese: negation', 'この扉は開きます。', 'この扉は開きません。'],
    ['in Japanese: number', '水槽は四十リットルです。', '水槽は五十リットルです。'],
    ['in Chinese: negation', '学徒可以独自工作。', '学徒不可以独自工作。'],
  ])('%s', (_what, one, other) => {
    expect(sentenceForm(one)).not.toBe(sentenceForm(other))
  })
})

it('counts two characters of a script without spaces as one word', () => {
  expect(lengthInWords(sentenceForm('Hang your tag, now.'))).toBe(4)
  expect(lengthInWords(sentenceForm('作業の前に札を掛けて。'))).toBe(5)
})
