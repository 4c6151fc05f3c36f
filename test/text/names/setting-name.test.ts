import { describe, expect, it } from 'vitest'
import { settingNames } from '../../../src/text/names/setting-name.ts'

describe('the name that a line of code sets', () => {
  it.each([
    ['max_shards: 200', 'max_shards', 'max shards'],
    ['  - role: pod', 'role', 'role'],
    ['  [ separator: <string> | default = ; ]', 'separator', 'separator'],
    ['"log.level" = "info"', 'log.level', 'log level'],
    ['#PermitRootLogin=no', 'PermitRootLogin', 'PermitRootLogin'],
    ['basic_auth:', 'basic_auth', 'basic auth'],
  ])('%s', (line, name, words) => {
    expect(settingNames(line)).toEqual([name, words])
  })

  it.each(['http://a.example/b', 'if (a == b) {', '# a comment', '$ npm ci', '12: 3', ''])('is none in %j', line => {
    expect(settingNames(line)).toEqual([])
  })

  it('is found in linear time', () => {
    for (const sign of [' ', '[', '#', 'a', '"', '- ']) expect(settingNames(sign.repeat(200_000))).toEqual([])
  })
})
