import { type AutoModel, AutoTokenizer, env, type PreTrainedTokenizer, Tensor } from '@xenova/transformers'
import { prefixOf } from '../../core/prefix.ts'
import type { ModelInput } from './pair-assembly.ts'

/** What a worker needs to load a model. */
export interface ModelToLoad {
  location: string
  local: boolean
  dtype: 'q8' | 'fp32'
  /** Longest input in tokens, special ones included. */
  maxTokens: number
  /** Where a hub's models are kept; null is the library's own place. */
  cacheFolder: string | null
  /** How an embedder makes one vector of token vectors. */
  pooling: 'mean' | 'cls'
  /** Whether an embedder scales its vectors to length 1. */
  normalize: boolean
}

/** Characters of a text that are tokenized for each token of the window: tokenizers read the whole text before it is cut. */
const CHARACTERS_PER_TOKEN = 10

/** A model with its tokenizer. It runs in one thread, because the pool has a worker per core. */
export async function loadModel(kind: typeof AutoModel, toLoad: ModelToLoad) {
  env.allowRemoteModels = !toLoad.local
  if (toLoad.cacheFolder !== null) env.cacheDir = toLoad.cacheFolder
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
    dispose: (): Promise<unknown> => model.dispose(),
  }
}

/** The token ids of texts, without special tokens, and how the model wraps them. */
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

/** One input as the tensors a model asks for, batch of 1. */
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
