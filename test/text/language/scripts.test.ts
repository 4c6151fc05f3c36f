import { describe, expect, it } from 'vitest'
import { inScripts, isScript } from '../../../src/text/language/scripts.ts'

describe('a text is in some scripts', () => {
  const isUnread = inScripts(['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai'])
  it.each([
    [true, '如何重置密码？'],
    [true, 'Debian GNU/Linux とは何?'],
    [true, '비밀번호를 어떻게 재설정합니까?'],
    [false, 'What does the sign 水 mean in this document?'],
    [false, 'Как сбросить пароль?'],
    [false, ''],
    [false, '?!'],
  ])('%s: %s', (expected, text) => {
    expect(isUnread(text)).toBe(expected)
  })

  it('when none is named, never, and a name of none is refused', () => {
    expect(inScripts([])('密码')).toBe(false)
    expect(() => inScripts(['Klingon'])).toThrow(SyntaxError)
    expect(['Han', 'Klingon', 'Han}', ''].map(isScript)).toEqual([true, false, false, false])
  })
})
