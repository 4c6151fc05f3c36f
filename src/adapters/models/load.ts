import { type AutoModel, AutoTokenizer, env, type PreTrainedTokenizer, Tensor } from '@xenova/transformers'
import { prefixOf } from '../../core/prefix.ts'
import type { ModelInput } from './pair-assembly.ts'

/** The `workerData` of a model worker. */
export interface ModelToLoad {
  location: string
  local: boolean
  dtype: 'q8' | 'fp32'
  /** Longest input in tokens, special tokens included. */
  maxTokens: number
  /** How an embedder makes one vector from the vectors of the tokens. */
  pooling: 'mean' | 'cls'
  /** Whether an embedder scales its vectors to length 1. */
  normalize: boolean
}

/** A text is cut to this many characters per token of the window, because tokenizers read the whole text. */
const CHARACTERS_PER_TOKEN = 10

/** Loads a model and its tokenizer. A run uses one thread, because the pool has a worker per core. */
export async function loadModel(kind: typeof AutoModel, toLoad: ModelToLoad) {
  env.allowRemoteModels = !toLoad.local
  const tokenizer = await loadTokenizer(toLoad)
  const model = await kind.from_pretrained(toLoad.location, {
    dtype: toLoad.dtype,
    local_files_only: toLoad.local,
    session_options: { intraOpNumThreads: 1, interOpNumThreads: 1 },
  })
  const names: readonly string[] = model.sessions.model?.inputNames ?? []
  return {
    ...tokenizer,
    run: (input: ModelInput): Promise<unknown> => model(toTensors(input, names)),
  }
}

/** `encode` gives token ids without special tokens; `wrap` adds the special tokens of the model. */
export async function loadTokenizer(model: Pick<ModelToLoad, 'location' | 'local' | 'maxTokens'>) {
  const tokenizer: PreTrainedTokenizer = await AutoTokenizer.from_pretrained(model.location, {
    local_files_only: model.local,
  })
  const longest = model.maxTokens * CHARACTERS_PER_TOKEN
  const encode = (text: string): number[] => tokenizer.encode(prefixOf(text, longest), { add_special_tokens: false })
  const wrap = (text: string, pair?: string): ModelInput => {
    const encoded = tokenizer(text, { text_pair: pair ?? null, return_tensor: false })
    return { ids: encoded.input_ids, types: encoded.token_type_ids ?? [] }
  }
  return { encode, wrap }
}

/** The tensors of a batch of one input. */
function toTensors(input: ModelInput, names: readonly string[]): Record<string, Tensor> {
  const tensor = (values: number[]): Tensor =>
    new Tensor(
      'int64',
      BigInt64Array.from(values, value => BigInt(value)),
      [1, values.length],
    )
  const tensors: Record<string, Tensor> = {
    input_ids: tensor(input.ids),
    attention_mask: tensor(input.ids.map(() => 1)),
  }
  if (names.includes('token_type_ids')) tensors.token_type_ids = tensor(input.types)
  return tensors
}
