import { expect, it } from 'vitest'
import { paragraphOf } from './support/pdf-lines.ts'

it.each([
  ['The keeper calls the Scheme-', 'Prozedur for the performance of the lamp', 'the Scheme-Prozedur for'],
  ['The keeper writes the names in UTF-', '8 for the performance of the lamp', 'in UTF-8 for'],
  ['WITHOUT WARRANTY OF THE PER-', 'FORMANCE of the lamp, whose performance', 'THE PERFORMANCE of'],
  ['The keeper of the lamps has a CD-', 'ROM with the performance of the lamp', 'a CD-ROM with'],
  ['The keeper knows each of the Vor-', 'und Nachteile of the lamp at night', 'the Vor- und Nachteile'],
  ['The keeper lights the lamps at the har-', 'bour at dusk and puts them out at dawn', 'the harbour at'],
  ['The ship of the keeper sailed home -', 'Ada was waiting for it at the quay', 'home - Ada'],
])('joins what a line parts at a hyphen: %s | %s', (first, second, joined) => {
  expect(paragraphOf(first, second)).toContain(joined)
})
