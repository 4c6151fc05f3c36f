import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createProgress } from '../../src/commands/progress.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function bench(isTTY: boolean) {
  const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY, columns: 120 })
  const kills: unknown[] = []
  const owner = Object.assign(new EventEmitter(), { pid: 7, kill: (...call: unknown[]) => kills.push(call) > 0 })
  const progress = createProgress(stream as unknown as NodeJS.WriteStream, {
    owner: owner as unknown as NodeJS.Process,
    onInterrupt: () => kills.push('told'),
  })
  return { progress, owner, kills, read: () => (stream.read() as string | null) ?? '' }
}

describe('progress', () => {
  it('writes a line every five seconds and the last line of each phase, when there is no terminal', () => {
    const { progress, read } = bench(false)
    progress.show('ingest', 1, 9)
    expect(read()).toBe('')
    vi.advanceTimersByTime(5_000)
    progress.show('ingest', 2, 9, ', 7 chunks')
    expect(read()).toBe('ingest 2/9, 7 chunks, ETA 35 s\n')
    progress.show('ingest', 3, 9)
    expect(read()).toBe('')
    progress.show('ask', 1, 4)
    expect(read()).toBe('ingest 3/9, ETA 15 s\n')
    progress.stop()
    progress.stop()
    expect(read()).toBe('ask 1/4\n')
  })

  it('estimates the time from what this process has done, and writes notes between the lines', () => {
    const { progress, read } = bench(false)
    progress.show('ask', 100, 160)
    progress.note('resuming')
    expect(read()).toBe('ask 100/160\nresuming\n')
    progress.show('ask', 100, 160)
    vi.advanceTimersByTime(10_000)
    progress.show('ask', 105, 160)
    expect(read()).toBe('ask 105/160, ETA 1 min 50 s\n')
    progress.show('ask', 160, 160)
    progress.stop()
    expect(read()).toBe('ask 160/160\n')
  })

  it('estimates the time from the effort, whose total may change, and counts no time before anything is done', () => {
    const { progress, read } = bench(false)
    progress.show('documents', 100, 1_000, '', { done: 0, total: 900 })
    vi.advanceTimersByTime(60_000)
    progress.show('documents', 800, 1_000, '', { done: 0, total: 200 })
    read()
    vi.advanceTimersByTime(10_000)
    progress.show('documents', 801, 1_000, ', 7 chunks', { done: 50, total: 200 })
    expect(read()).toBe('documents 801/1000, 7 chunks, ETA 30 s\n')
    progress.stop()
  })

  it('fills the bar by the effort', () => {
    const { progress, read } = bench(true)
    progress.show('documents', 9, 10, '', { done: 0, total: 100 })
    vi.advanceTimersByTime(1_000)
    progress.show('documents', 9, 10, '', { done: 10, total: 50 })
    progress.stop()
    expect((read().match(/=+/g) ?? []).map(bar => bar.length)).toEqual([8])
  })

  it('draws a bar and no lines on a terminal', () => {
    const { progress, read } = bench(true)
    progress.show('ask', 1, 4)
    vi.advanceTimersByTime(6_000)
    progress.show('ask', 2, 4)
    vi.advanceTimersByTime(1_000)
    progress.stop()
    const drawn = read()
    expect(drawn).toContain('ask 1/4')
    expect(drawn).toContain('ask 2/4, ETA 12 s')
    expect(drawn).not.toContain('\n')
  })

  it('tells no time on a terminal while nothing that takes time is done, or nothing does', () => {
    const { progress, read } = bench(true)
    for (const total of [200, 100, 0]) {
      progress.show('documents', 10 - total / 100, 10, '', { done: 0, total })
      vi.advanceTimersByTime(1_000)
    }
    progress.stop()
    const drawn = read()
    for (const documents of ['8/10', '9/10', '10/10']) expect(drawn).toContain(`documents ${documents}`)
    expect(drawn).not.toContain('ETA')
  })

  it.each(['SIGINT', 'SIGTERM'])('shows the cursor again on %s and lets the signal end the process', signal => {
    const { progress, owner, kills, read } = bench(true)
    progress.show('ask', 1, 4)
    const [hide, show] = ['\u001b[?25l', '\u001b[?25h']
    expect(read()).toContain(hide)
    owner.emit(signal, signal)
    expect(read()).toContain(show)
    expect(kills).toEqual(['told', [7, signal]])
    expect(owner.listenerCount(signal)).toBe(0)
    progress.show('ask', 2, 4)
    progress.stop()
    expect(owner.listenerCount(signal)).toBe(0)
  })
})
