import { describe, expect, it, onTestFinished } from 'vitest'
import type { Trace } from '../../src/pipeline/trace/schema.ts'
import { openStowage } from '../support/stowage.ts'

const PARTIES = Array.from({ length: 150 }, (_, at) => `party${String.fromCharCode(97 + (at % 26))}${at}`)
const AXIAL = 120

/** As LangChain writes agreements that are nearly alike: no keyword list, no title, and a text that does not say whose it is. */
const points = PARTIES.map((party, at) => ({
  id: at + 1,
  // The question's vector is [1, 0]: the agreement with Axial is the 121st of the dense list.
  vector: [Math.cos(at / 200), Math.sin(at / 200)],
  payload: {
    content: `The receiving party keeps the drawings for ${at + 2} years, and returns copy number ${at * 7} at the end.`,
    metadata: { source: `/contracts/nda-${at === AXIAL ? 'axial' : party}.txt` },
  },
}))

async function ask(environment: Record<string, string>) {
  const stowage = await openStowage(environment)
  onTestFinished(() => stowage.close())
  await stowage.send('PUT', '/collections/contracts', { vectors: { size: 2, distance: 'Cosine' } })
  await stowage.send('PUT', '/collections/contracts/points?wait=true', { points })
  const query = 'How long are drawings kept under the agreement with Axial?'
  const { json } = await stowage.ask({ query, collection: 'contracts', vector: [1, 0], budget_tokens: 60, trace: true })
  const { candidates } = json.trace as Trace
  return { candidates, packed: candidates.filter(({ decision }) => decision === 'packed'), context: json.context }
}

describe('a collection that a framework has filled', () => {
  it('is searched deep enough to find the document whose file the question names', async () => {
    const { packed, context } = await ask({})
    expect(packed[0]?.doc_id).toBe('/contracts/nda-axial.txt')
    expect(context).toContain(`${AXIAL + 2} years`)
  })

  it('is searched like others when the rule is switched off', async () => {
    const { candidates, packed } = await ask({ STOWAGE_FLAGS_OFF: 'stowage.foreign-depth' })
    expect(candidates).toHaveLength(50)
    expect(packed.map(({ doc_id }) => doc_id)).not.toContain('/contracts/nda-axial.txt')
  })
})
