import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadTokenizer, logitOf } from '../load.ts'
import type { ModelSource } from '../model-folder.ts'
import { assembleSide, learnTemplate, type ModelInput } from '../pair-assembly.ts'
import { cutOnnx, readOnnx, roundedNames } from './onnx-graph.ts'
import { isLong, type PassageSide, packSide, roundRows, unpackSide } from './passage-side.ts'
import { loadRuntime, type Runtime, type Session, type Tensors } from './runtime.ts'

/** A cross-encoder whose graph is cut in two: the encoder reads one text, the interaction joins what it made of both. */
export interface LateInteractionModel {
  encodeQuery(query: string): Promise<Tensors>
  encodePassage(passage: string): Promise<PassageSide>
  /** The logit of the pair. */
  interact(query: Tensors, passage: PassageSide): Promise<number>
}

const WEIGHTS = { q8: 'model_quantized.onnx', fp32: 'model.onnx' }
const INPUTS = ['input_ids', 'attention_mask', 'token_type_ids']
const LOGITS = 'logits'

/**
 * Loads a model and cuts its graph at the tensors that stowage.json names. Each text has the whole window of the model, so that what is made of
 * a passage is the same for each query.
 * @throws Error when the graph cannot be cut there
 */
export async function loadLateInteraction(source: ModelSource): Promise<LateInteractionModel> {
  const { late_interaction: cut } = source.settings
  if (cut === undefined) throw new Error('it has none')
  const runtime = loadRuntime()
  const graph = readOnnx(await readFile(join(source.location, 'onnx', WEIGHTS[source.dtype])))
  const open = (inputs: string[], outputs: string[], rounded: string[] = []): Promise<Session> =>
    // One thread, because the pool has a worker per core. Severity 3 is errors: for each empty tensor the runtime would print a warning.
    runtime.InferenceSession.create(cutOnnx(graph, inputs, outputs, rounded), {
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      logSeverityLevel: 3,
    })
  const encoder = await open(
    INPUTS,
    [...cut.query, ...cut.passage].filter(name => !INPUTS.includes(name)),
  )
  const { encode, wrap } = await loadTokenizer(source)
  const sample = encode('a')
  const template = learnTemplate(wrap('a', 'a'), { query: sample, passage: sample })

  const run = async (slot: 'query' | 'passage', text: string): Promise<Tensors> => {
    const inputs = toTensors(assembleSide(template, slot, encode(text), source.maxTokens), runtime)
    const tensors: Tensors = { ...inputs, ...(await encoder.run(inputs)) }
    return Object.fromEntries(Object.entries(tensors).filter(([name]) => cut[slot].includes(name)))
  }

  const tensorsOfSample = await run('passage', 'a')
  const long = Object.entries(tensorsOfSample).flatMap(([name, tensor]) => (isLong(tensor) ? [name] : []))
  const interaction = await open([...cut.query, ...cut.passage], [LOGITS], long)

  return {
    encodeQuery: query => run('query', query),
    async encodePassage(passage) {
      const tensors = await run('passage', passage)
      for (const name of long) {
        const { [name]: tensor } = tensors
        if (tensor === undefined) continue
        const names = roundedNames(name)
        const { rounded, scales } = roundRows(tensor, runtime)
        delete tensors[name]
        Object.assign(tensors, { [names.rounded]: rounded, [names.scales]: scales })
      }
      return packSide(tensors)
    },
    async interact(query, passage) {
      const { [LOGITS]: logits } = await interaction.run({ ...query, ...unpackSide(passage, runtime) })
      return logitOf(logits?.data ?? [])
    },
  }
}

function toTensors({ ids, types }: ModelInput, { Tensor }: Runtime): Tensors {
  const tensor = (values: number[]) => new Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length])
  return { input_ids: tensor(ids), attention_mask: tensor(ids.map(() => 1)), token_type_ids: tensor(types) }
}
