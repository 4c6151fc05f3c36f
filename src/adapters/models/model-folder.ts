import { readFile, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { z } from 'zod'
import { messageOf, StowageError } from '../../core/errors.ts'
import { describeIssues } from '../../core/schema-faults.ts'
import { LANGUAGES } from '../../text/language/language-of.ts'

/** A model is missing or cannot be loaded. The message contains the reason and the remedy. */
export class ModelUnavailableError extends StowageError {
  constructor(message: string, cause?: unknown) {
    super('upstream_unavailable', message, { cause })
    this.name = 'ModelUnavailableError'
  }
}

const tensor = z.string().min(1)
const tensors = z.array(tensor).min(1)
/**
 * How well a part of a passage matches a query: `max_similarity` × MaxSim + `cosine` × the cosine of both mean vectors, a logit. `query` names a tensor of the cut with a vector for each
 * token, `passage` tensors [1, tokens, width] or [1, blocks, tokens, width] that have the numbers of such a vector one after the other, `importance` one with the weight of each token of
 * the query, the first number of its row. MaxSim is of the first tensor of the passage. `input_ids` must be among the tensors of the passage.
 */
const PartMatchSchema = z.object({
  query: tensor,
  passage: tensors,
  importance: tensor,
  max_similarity: z.number(),
  cosine: z.number(),
})
export type PartMatch = z.infer<typeof PartMatchSchema>
/**
 * The tensors at which the graph of a cross-encoder can be cut, because each depends on one text alone: with those of both texts the rest of the graph computes
 * the logits. An input of the model can be one of them. Where the rest takes several passages for one query, and zeros behind the tokens of a passage change nothing, passages are
 * scored together. Then `word_match`, a tensor [passages, tokens, numbers] of the rest, is computed once for each different token: what it has of a token depends on the query and the
 * token's id alone. `input_ids` must be among the tensors of the passage.
 */
const LateInteractionSchema = z.object({
  query: tensors,
  passage: tensors,
  word_match: tensor.optional(),
  part_match: PartMatchSchema.optional(),
})
export type LateInteraction = z.infer<typeof LateInteractionSchema>

const SettingsSchema = z.object({
  /** Name of the model in points and traces; default is the name of the folder. */
  model_id: z.string().min(1).optional(),
  dimensions: z.int().positive().optional(),
  pooling: z.enum(['mean', 'cls']).default('mean'),
  normalize: z.boolean().default(true),
  query_prefix: z.string().default(''),
  passage_prefix: z.string().default(''),
  max_tokens: z.int().min(16).default(512),
  late_interaction: LateInteractionSchema.optional(),
  /** The languages that the model was made for, such as `en`; default is any. */
  languages: z.array(z.enum(LANGUAGES)).min(1).optional(),
})
type ModelSettings = z.infer<typeof SettingsSchema>

const CalibrationSchema = z.object({ temperature: z.number().positive(), bias: z.number() })
/** Turns a logit into a probability: `sigmoid(logit / temperature + bias)`. */
export type Calibration = z.infer<typeof CalibrationSchema>

const ConfigSchema = z.object({
  model_type: z.string().default(''),
  max_position_embeddings: z.int().default(Number.MAX_SAFE_INTEGER),
})

/** Location of a model and the settings in its folder. */
export interface ModelSource {
  id: string
  /** Absolute path of a folder, or the id of a model on the hub. */
  location: string
  local: boolean
  /** `q8` reads onnx/model_quantized.onnx, `fp32` reads onnx/model.onnx. */
  dtype: 'q8' | 'fp32'
  settings: ModelSettings
  calibration: Calibration
  /** Longest input in tokens, special tokens included: `max_tokens`, or less if the weights take less. */
  maxTokens: number
}

export interface ModelRequest {
  /** A folder, or the id of a model on the hub (`owner/name`). */
  model: string
  /** The setting that contains `model`, for messages. */
  variable: 'RERANK_MODEL' | 'EMBEDDING_MODEL'
  /** Whether the model may be downloaded from the hub. */
  allowRemote: boolean
}

/**
 * Finds a model and checks the files of its folder, without loading it. A model on the hub is not checked.
 * @throws ModelUnavailableError when the folder or a file is missing, or a file is not valid
 */
export async function findModel({ model, variable, allowRemote }: ModelRequest): Promise<ModelSource> {
  const folder = resolve(model)
  const exists = (await stat(folder).catch(() => null))?.isDirectory() ?? false
  if (exists) return readModelFolder(folder, variable)
  const hubId = /^\w[\w.-]*\/[\w.-]+$/.test(model)
  if (!hubId) throw new ModelUnavailableError(`${variable}: there is no folder ${model}. ${advice(variable)}`)
  if (!allowRemote) {
    throw new ModelUnavailableError(
      `${variable}: ${model} is not a local folder, and downloads from the hub are switched off. ${advice(variable)}`,
    )
  }
  const settings = SettingsSchema.parse({})
  const { max_tokens: maxTokens } = settings
  return { id: model, location: model, local: false, dtype: 'q8', settings, calibration: IDENTITY, maxTokens }
}

/** The error for a model that `findModel` found but that cannot be loaded. */
export function loadFailure(
  { model, variable }: Omit<ModelRequest, 'allowRemote'>,
  source: ModelSource,
  cause: Error,
): Error {
  const problem = source.local
    ? `cannot be loaded from ${source.location}`
    : 'is not a local folder and could not be downloaded from the hub'
  return new ModelUnavailableError(`${variable}: ${model} ${problem} (${cause.message}). ${advice(variable)}`, cause)
}

const IDENTITY: Calibration = { temperature: 1, bias: 0 }

async function readModelFolder(folder: string, variable: ModelRequest['variable']): Promise<ModelSource> {
  const unusable = (problem: string, cause?: unknown) =>
    new ModelUnavailableError(`${variable}: the model folder ${folder} ${problem}. ${advice(variable)}`, cause)

  function parsed(name: string, content: string): unknown {
    try {
      return JSON.parse(content)
    } catch (error) {
      throw unusable(`has a ${name} that cannot be read: ${messageOf(error)}`, error)
    }
  }

  async function readJson<T>(name: string, schema: z.ZodType<T>, fallback?: unknown): Promise<T> {
    const content = await readFile(join(folder, name), 'utf8').catch(() => null)
    if (content === null && fallback === undefined) throw unusable(`has no ${name}`)
    const value = content === null ? fallback : parsed(name, content)
    const { success, data, error } = schema.safeParse(value)
    if (!success) throw unusable(`has a fault: ${describeIssues(error, name, value).join('; ')}`, error)
    return data
  }

  const config = await readJson('config.json', ConfigSchema)
  await readJson('tokenizer.json', z.object({ model: z.unknown() }))
  await readJson('tokenizer_config.json', z.looseObject({}))
  const settings = await readJson('stowage.json', SettingsSchema, {})
  // RoBERTa models count positions from 2.
  const reserved = /roberta|camembert/.test(config.model_type) ? 2 : 0
  return {
    id: settings.model_id ?? basename(folder),
    location: folder,
    local: true,
    dtype: await findWeights(folder, unusable),
    settings,
    calibration: await readJson('calibration.json', CalibrationSchema, IDENTITY),
    maxTokens: Math.min(settings.max_tokens, config.max_position_embeddings - reserved),
  }
}

/** The files of the weights, in the folder `onnx`. */
export const WEIGHTS = { q8: 'model_quantized.onnx', fp32: 'model.onnx' }

/** The path of the weights of a local model. */
export const weightsOf = ({ location, dtype }: ModelSource): string => join(location, 'onnx', WEIGHTS[dtype])

async function findWeights(folder: string, unusable: (problem: string) => Error): Promise<ModelSource['dtype']> {
  for (const dtype of ['q8', 'fp32'] as const) {
    const name = WEIGHTS[dtype]
    const size = (await stat(join(folder, 'onnx', name)).catch(() => null))?.size
    if (size === undefined) continue
    // A clone without large files has a pointer file of about 130 bytes instead of the weights.
    if (size < 1024) throw unusable(`has only a pointer file of ${size} bytes for onnx/${name}`)
    return dtype
  }
  throw unusable(`has no onnx/${WEIGHTS.q8} (nor onnx/${WEIGHTS.fp32})`)
}

function advice(variable: ModelRequest['variable']): string {
  const example = variable === 'RERANK_MODEL' ? 'Xenova/ms-marco-MiniLM-L-6-v2' : 'Xenova/all-MiniLM-L6-v2'
  return (
    `Set ${variable} to a folder in Hugging Face layout (config.json, tokenizer.json, tokenizer_config.json, ` +
    `onnx/model_quantized.onnx), or to a hub id such as ${example} if the hub can be reached.`
  )
}
