import { expect, it } from 'vitest'
import { readableName } from '../../../src/text/names/readable-name.ts'

it.each([
  ['Standard%20NDA%20by%20Axial', 'Standard NDA by Axial'],
  ['M%C3%BCnchen%2fS%C3%BCd', 'München/Süd'],
  // Titles with spaces are written by people.
  ['Growth of 100%25 in May', 'Growth of 100%25 in May'],
  ['50%AB', '50%AB'],
  ['%', '%'],
  ['', ''],
  ['gate-regulation_316', 'gate-regulation_316'],
])('%j is read as %j', (name, read) => {
  expect(readableName(name)).toBe(read)
})
