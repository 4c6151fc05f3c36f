import { type AutoModel, AutoTokenizer, env, type PreTrainedTokenizer, Tensor } from '@xenova/transformers'
import type { ModelSource } from './model-folder.ts'
import { type ModelInput, readablePart } from './pair-assembly.ts'

/** Loads a model and its tokenizer. A run uses one thread, because the pool has a worker per core. */
export async function loadModel(kind: typeof AutoModel, source: ModelSource) {
  env.allowRemoteModels = !source.local
  const tokenizer = await loadTokenizer(source)
  const model = await kind.from_pretrained(source.location, {
    dtype: source.dtype,
    local_files_only: source.local,
    session_options: { intraOpNumThreads: 1, interOpNumThreads: 1 },
  })
  const names: readonly string[] = model.sessions.model?.inputNames ?? []
  return {
    ...tokenizer,
    run: (input: ModelInput): Promise<unknown> => model(toTensors(input, names)),
  }
}

/** `encode` gives token ids without special tokens; `wrap` adds the special tokens of the model. */
export async function loadTokenizer(model: ModelSource) {
  const tokenizer: PreTrainedTokenizer = await AutoTokenizer.from_pretrained(model.location, {
    local_files_only: model.local,
  })
  const encode = (text: string): number[] =>
    tokenizer.encode(readablePart(text, model.maxTokens), { add_special_tokens: false })
  const wrap = (text: string, pair?: string): ModelInput => {
    const encoded = tokenizer(text, { text_pair: pair ?? null, return_tensor: false })
    return { ids: encoded.input_ids, types: encoded.token_type_ids ?? [] }
  }
  return { encode, wrap }
}

/** The logit of a pair: two labels mean "no" and "yes"; one label means "yes". NaN without labels. */
export function logitOf(labels: ArrayLike<number | bigint>): number {
  const [first = Number.NaN, second] = Array.from(labels, Number)
  return second === undefined ? first : second - first
}

/** The tensors of a batch of one input. */
function toTensors(input: ModelInput, names: readonly string[]): Record<string, Tensor> {
  const tensor = (values: number[]) => new Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length])
  const tensors: Record<string, Tensor> = {
    input_ids: tensor(input.ids),
    attention_mask: tensor(input.ids.map(() => 1)),
  }
  if (names.includes('token_type_ids')) tensors.token_type_ids = tensor(input.types)
  return tensors
}
