import { describe, expect, it } from 'vitest'
import { improvingTimeMs } from '../../src/drop-in/request.ts'

describe('the time for improving', () => {
  it.each([
    ['', 60_000, 2_500],
    ['', 700, 700],
    ['?timeout=2', 60_000, 1_000],
    ['?consistency=all&timeout=60', 60_000, 30_000],
    ['?timeout=60', 700, 700],
    ['?timeout=0', 60_000, 2_500],
    ['?timeout=soon', 60_000, 2_500],
  ])('with %j and at most %d ms is %d ms: half of what the client waits for', (queryString, deadlineMs, expected) => {
    expect(improvingTimeMs(queryString, deadlineMs)).toBe(expected)
  })
})
