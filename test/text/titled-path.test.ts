import { expect, it } from 'vitest'
import { titledPath } from '../../src/text/titled-path.ts'

it.each([
  ['Guide', 'Setup > Keys', 'Guide > Setup > Keys'],
  ['Guide', 'Guide > Setup', 'Guide > Setup'],
  ['Guide', 'Guide', 'Guide'],
  ['Guide', 'Guides > Setup', 'Guide > Guides > Setup'],
  ['Guide', '', 'Guide'],
  ['', 'Setup', 'Setup'],
  ['', '', ''],
])('title %j and path %j are %j', (title, path, whole) => {
  expect(titledPath(title, path)).toBe(whole)
})
