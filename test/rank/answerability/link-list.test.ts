import { describe, expect, it } from 'vitest'
import { finish } from '../../../src/core/steps.ts'
import { addAnswerability } from '../../../src/rank/answerability/answerability.ts'
import { isLinkList } from '../../../src/rank/answerability/link-list.ts'
import { candidate } from '../../support/candidates.ts'

const RELATED =
  '## Related commands\n\n* [volume prune](volume_prune.md)\n* [system prune](system_prune.md) - Remove unused data'

describe('passages of links alone', () => {
  it.each([
    ['below a heading', RELATED],
    ['in a nested list', '- [Gates](gates.md)\n  - [Locks](locks.md)'],
    ['with one item', '* [argocd app](argocd_app.md)\t - Manage applications'],
  ])('are lists of links %s', (_, text) => {
    expect(isLinkList(text)).toBe(true)
  })

  it.each([
    ['a sentence above them', `See these commands.\n\n${RELATED}`],
    ['links inside of sentences', '- Close the gate as in [Gates](gates.md).'],
    ['a long remark', `- [Gates](gates.md) ${'close when the tide rises, '.repeat(4)}`],
    ['items without links', '- [Gates](gates.md)\n- Locks'],
    ['boxes to tick', '- [x] Gates are closed'],
    ['a heading alone', '## Related'],
    ['nothing', ''],
  ])('are not %s', (_, text) => {
    expect(isLinkList(text)).toBe(false)
  })

  it('lose the bonus, at most all of their value, and the trace names the reason', () => {
    const links = candidate({ id: 1, text: RELATED }, 0.5)
    const weak = candidate({ id: 2, text: RELATED }, 0.04)
    const answer = candidate({ id: 3, text: 'Unused volumes are removed.' }, 0.45)
    const ranked = finish(addAnswerability([links, weak, answer], 'system prune and volume prune', 'comparison', 0.1))
    expect(ranked.map(({ chunk }) => chunk.id)).toEqual([3, 1, 2])
    expect(ranked.map(({ value }) => value)).toEqual([0.45, 0.4, 0])
    expect(ranked[1]?.answerability).toEqual({ bonus: -0.1, features: ['links alone'] })
  })

  it('are found in linear time', () => {
    for (const text of ['- ['.repeat(30_000), `- [a](${'('.repeat(100_000)}`, '- [a](b) '.repeat(20_000)])
      expect(isLinkList(text)).toBe(false)
  })
})
