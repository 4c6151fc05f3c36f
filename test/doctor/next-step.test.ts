import { expect, it } from 'vitest'
import { nextStep } from '../../src/doctor/next-step.ts'

it('the last step does not send the backend away from an address that can be a stowage already', () => {
  const { fix } = nextStep([], 'docs', 'http://127.0.0.1:6433') ?? { fix: '' }
  expect(fix).toMatch(
    /^If http:\/\/127\.0\.0\.1:6433 is Qdrant itself, start stowage serve, .* "collection": "docs"\.$/u,
  )
})
