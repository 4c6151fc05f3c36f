import { workerData } from 'node:worker_threads'
import { AutoModelForSequenceClassification } from '@xenova/transformers'
import { loadModel, logitOf } from './load.ts'
import type { ModelSource } from './model-folder.ts'
import { assemblePair, learnTemplate } from './pair-assembly.ts'
import { inTurn, silenceConsole } from './workers/worker.ts'

export interface PairJob {
  query: string
  passage: string
}

silenceConsole()
const source = workerData as ModelSource
const { encode, wrap, run } = await loadModel(AutoModelForSequenceClassification, source)
const sample = encode('a')
const template = learnTemplate(wrap('a', 'a'), { query: sample, passage: sample })
let lastQuery = { text: '', ids: encode('') }

export const details = () => null

export default inTurn(score)

/** The logit of a pair. */
async function score({ query, passage }: PairJob): Promise<number> {
  if (query !== lastQuery.text) lastQuery = { text: query, ids: encode(query) }
  const input = assemblePair(template, lastQuery.ids, encode(passage), source.maxTokens)
  const { logits } = (await run(input)) as { logits: { data: ArrayLike<number> } }
  return logitOf(logits.data)
}
