import { expect, it } from 'vitest'
import { namedPath, pageName, titledPath } from '../../../src/text/names/titled-path.ts'

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
  ['Setup', '4. Setup > 4.1. Keys', '4. Setup > 4.1. Keys'],
  ['4. Setup', 'Setup > Keys', '4. Setup > Keys'],
  ['Setup — Guide', '4.1 Setup > Keys', 'Setup — Guide > Keys'],
  ['A.2. Setup — Guide', 'Setup > Keys', 'A.2. Setup — Guide > Keys'],
  ['8. The server — Guide 2.2', '8. The server > 8.1. Keys', '8. The server — Guide 2.2 > 8.1. Keys'],
  ['Setup: a guide', 'Setup > Keys', 'Setup: a guide > Keys'],
  ['2023 Report', '2024 Report > Sales', '2023 Report > 2024 Report > Sales'],
  ['Report', 'A Report > Sales', 'Report > A Report > Sales'],
  ['设置', '4. 设置 > 密钥', '4. 设置 > 密钥'],
  ['Setup', '4. ', 'Setup > 4. '],
  ["The keeper's guide", 'The keeper’s guide > Keys', 'The keeper’s guide > Keys'],
  ['The keeper’s guide', "1. The keeper's guide > Keys", "1. The keeper's guide > Keys"],
  ["The keeper's guide — Site", 'The keeper’s guide > Keys', "The keeper's guide — Site > Keys"],
  ['The "keeper" — Site', 'The “keeper” > Keys', 'The "keeper" — Site > Keys'],
  ["The keeper's", 'The keepers > Keys', "The keeper's > The keepers > Keys"],
  ['Guide (2.1) - Setup', 'Guide > Setup > Keys', 'Guide (2.1) - Setup > Keys'],
  ['Guide 2.1 Reference - Setup', 'Guide 2.1 > Setup', 'Guide 2.1 Reference - Setup'],
  ['Guide (2.1) - Setup', 'Guide > Keys > Setup', 'Guide (2.1) - Setup > Guide > Keys > Setup'],
  ['Guides (2.1) - Setup', 'Guide > Setup', 'Guides (2.1) - Setup > Guide > Setup'],
  ['Guide 2.14 - Setup', 'Guide 2.1 > Setup', 'Guide 2.14 - Setup > Guide 2.1 > Setup'],
  ['Setup - Guide', 'Setup > Setup > Keys', 'Setup - Guide > Setup > Keys'],
  ['', 'Setup', 'Setup'],
  ['', '', ''],
])('title %j and path %j are %j', (title, path, whole) => {
  expect(titledPath(title, path)).toBe(whole)
})

it.each([
  ['Setup — Guide', '4. Setup > Keys', 'Setup'],
  ['Setup', '4. Setup', 'Setup'],
  ['4. Setup', 'Setup', 'Setup'],
  ['Site » Setup', 'Setup', 'Setup'],
  ['Setup', 'Keys', 'Setup'],
  ['Guide (2.1) - Setup', 'Guide > Setup > Keys', 'Setup'],
])('the name of the page %j with path %j is %j', (title, path, name) => {
  expect(pageName(title, path)).toBe(name)
})

it.each([
  ['Setup', 'photon', 'Setup > Keys', 'Setup (photon) > Keys'],
  ['Setup', 'photon', 'Keys', 'Setup (photon) > Keys'],
  ['Setup', 'photon', '', 'Setup (photon)'],
  ['Setup', 'photon', '4. Setup > Keys', '4. Setup (photon) > Keys'],
  ['A > B', 'photon', '', 'A > B (photon)'],
  ['', 'photon', 'Keys', 'photon > Keys'],
  ['', 'photon', '', 'photon'],
  ["The keeper's guide", 'photon', 'The keeper’s guide > Keys', 'The keeper’s guide (photon) > Keys'],
  ['Setup', undefined, 'Keys', 'Setup > Keys'],
  ['', undefined, '', ''],
])('title %j, name %j and path %j are %j', (title, name, path, whole) => {
  expect(namedPath(title, name, path)).toBe(whole)
})

it('reads long titles in linear time', () => {
  expect(titledPath('1.'.repeat(50_000), '1 '.repeat(50_000))).toContain('1.1.')
  expect(titledPath(' '.repeat(100_000), ': '.repeat(50_000))).toContain(': :')
})
