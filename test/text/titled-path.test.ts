import { expect, it } from 'vitest'
import { titledPath } from '../../src/text/titled-path.ts'

it.each([
  ['Guide', 'Setup > Keys', 'Guide > Setup > Keys'],
  ['Guide', 'Guide > Setup', 'Guide > Setup'],
  ['Guide', 'Guide', 'Guide'],
  ['Guide', 'Guides > Setup', 'Guide > Guides > Setup'],
  ['Guide', '', 'Guide'],
  ['Setup — Guide 2.1', 'Setup > Keys', 'Setup — Guide 2.1 > Keys'],
  ['Guide | Setup', 'Setup > Keys', 'Guide | Setup > Keys'],
  ['Setup - Guide', 'Setup', 'Setup - Guide'],
  ['Keys - a guide — Site', 'Keys - a guide > Setup', 'Keys - a guide — Site > Setup'],
  ['Site » A » Setup', 'Setup > Keys', 'Site » A » Setup > Keys'],
  ['Set-up guide', 'Set', 'Set-up guide > Set'],
  ['Setup of keys — Guide', 'Setup > Keys', 'Setup of keys — Guide > Setup > Keys'],
  ['Setup — Guide', '', 'Setup — Guide'],
  [' — ', 'Setup', ' —  > Setup'],
  ['', 'Setup', 'Setup'],
  ['', '', ''],
])('title %j and path %j are %j', (title, path, whole) => {
  expect(titledPath(title, path)).toBe(whole)
})
