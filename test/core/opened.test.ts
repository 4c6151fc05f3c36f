import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createOpened } from '../../src/core/work/opened.ts'

it('closes everything once, the last one first, and throws the first fault at the end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom('plain', 'slow', 'throws', 'rejects', 'nothing')), async kinds => {
      const closed: number[] = []
      const opened = createOpened()
      for (const [at, kind] of kinds.entries()) {
        if (kind === 'nothing') {
          expect(opened.keep(null)).toBeNull()
          continue
        }
        const value = {
          close() {
            if (kind === 'throws') throw new Error(`${at}`)
            if (kind === 'rejects') return Promise.reject(new Error(`${at}`))
            const note = () => void closed.push(at)
            return kind === 'slow' ? new Promise(setImmediate).then(note) : note()
          },
        }
        expect(opened.keep(value)).toBe(value)
      }
      const placesOf = (...wanted: string[]) => kinds.flatMap((kind, at) => (wanted.includes(kind) ? at : [])).reverse()
      const [fault] = placesOf('throws', 'rejects')
      const closing = opened.close()
      if (fault === undefined) await closing
      else await expect(closing).rejects.toThrow(`${fault}`)
      expect(closed).toEqual(placesOf('plain', 'slow'))
      await opened.close()
      expect(closed).toEqual(placesOf('plain', 'slow'))
    }),
  )
})
