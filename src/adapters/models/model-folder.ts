import { readFile, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { z } from 'zod'
import { StowageError } from '../../core/errors.ts'

/** A model cannot be had. The message says what is missing and how to get it; the step that wanted it is skipped. */
export class ModelUnavailableError extends StowageError {
  constructor(message: string, cause?: unknown) {
    super('upstream_unavailable', message, { cause })
    this.name = 'ModelUnavailableError'
  }
}

const SettingsSchema = z.object({
  /** Written to points and traces; the folder's name where it is absent. */
  model_id: z.string().min(1).optional(),
  dimensions: z.int().positive().optional(),
  pooling: z.enum(['mean', 'cls']).default('mean'),
  normalize: z.boolean().default(true),
  query_prefix: z.string().default(''),
  passage_prefix: z.string().default(''),
  max_tokens: z.int().min(16).optional(),
})
export type ModelSettings = z.infer<typeof SettingsSchema>

const CalibrationSchema = z.object({ temperature: z.number().positive(), bias: z.number() })
/** Makes a logit a probability: `sigmoid(logit / temperature + bias)`. */
export type Calibration = z.infer<typeof CalibrationSchema>

const ConfigSchema = z.object({ model_type: z.string().default(''), max_position_embeddings: z.int().optional() })

/** Where a model is and what its folder says of it. */
export interface ModelSource {
  id: string
  /** Absolute path of a folder, or the id of a model on a hub. */
  location: string
  local: boolean
  /** `q8` reads onnx/model_quantized.onnx, `fp32` reads onnx/model.onnx. */
  dtype: 'q8' | 'fp32'
  settings: ModelSettings
  calibration: Calibration
  /** Longest input the weights can take, in tokens with the special ones; null when the folder does not say. */
  window: number | null
}

export interface ModelRequest {
  /** A folder, or the id of a hub's model (`owner/name`). */
  model: string
  /** The variable that names the model, for messages. */
  variable: 'RERANK_MODEL' | 'EMBEDDING_MODEL'
  /** Whether a hub may be asked for what is no folder. */
  allowRemote: boolean
}

/**
 * Looks a model up before anything is loaded. Throws ModelUnavailableError when its folder lacks a file or a file is no
 * good; a hub's model is taken at its word, its absence shows on loading.
 */
export async function findModel({ model, variable, allowRemote }: ModelRequest): Promise<ModelSource> {
  const folder = resolve(model)
  const exists = (await stat(folder).catch(() => null))?.isDirectory() ?? false
  if (exists) return readModelFolder(folder, variable)
  const hubId = /^\w[\w.-]*\/[\w.-]+$/.test(model)
  if (!hubId) throw new ModelUnavailableError(`${variable}: there is no folder ${model}. ${advice(variable)}`)
  if (!allowRemote) {
    throw new ModelUnavailableError(
      `${variable}: ${model} is no folder here, and model hubs are switched off. ${advice(variable)}`,
    )
  }
  const settings = SettingsSchema.parse({})
  return { id: model, location: model, local: false, dtype: 'q8', settings, calibration: IDENTITY, window: null }
}

/** The error for a model that was found but cannot be loaded. */
export function loadFailure(
  { model, variable }: Omit<ModelRequest, 'allowRemote'>,
  source: ModelSource,
  cause: Error,
): Error {
  const problem = source.local
    ? `cannot be loaded from ${source.location}`
    : 'is no folder here and was not had from a hub'
  return new ModelUnavailableError(`${variable}: ${model} ${problem} (${cause.message}). ${advice(variable)}`, cause)
}

const IDENTITY: Calibration = { temperature: 1, bias: 0 }

async function readModelFolder(folder: string, variable: ModelRequest['variable']): Promise<ModelSource> {
  const unusable = (problem: string, cause?: unknown) =>
    new ModelUnavailableError(`${variable}: the model folder ${folder} ${problem}. ${advice(variable)}`, cause)

  async function readJson<T>(name: string, schema: z.ZodType<T>, required: boolean): Promise<T | null> {
    const content = await readFile(join(folder, name), 'utf8').catch(() => null)
    if (content === null && required) throw unusable(`has no ${name}`)
    if (content === null) return null
    try {
      return schema.parse(JSON.parse(content))
    } catch (error) {
      throw unusable(`has a ${name} that cannot be read`, error)
    }
  }

  const config = await readJson('config.json', ConfigSchema, true)
  await readJson('tokenizer.json', z.object({ model: z.unknown() }), true)
  await readJson('tokenizer_config.json', z.looseObject({}), true)
  const settings = (await readJson('stowage.json', SettingsSchema, false)) ?? SettingsSchema.parse({})
  const calibration = (await readJson('calibration.json', CalibrationSchema, false)) ?? IDENTITY
  return {
    id: settings.model_id ?? basename(folder),
    location: folder,
    local: true,
    dtype: await findWeights(folder, unusable),
    settings,
    calibration,
    window:
      config?.max_position_embeddings === undefined
        ? null
        : windowOf(config.model_type, config.max_position_embeddings),
  }
}

async function findWeights(folder: string, unusable: (problem: string) => Error): Promise<ModelSource['dtype']> {
  for (const [name, dtype] of [
    ['model_quantized.onnx', 'q8'],
    ['model.onnx', 'fp32'],
  ] as const) {
    const size = (await stat(join(folder, 'onnx', name)).catch(() => null))?.size
    if (size === undefined) continue
    // A clone without large files holds a pointer of some 130 bytes in place of the weights.
    if (size < 1024) throw unusable(`has only a stand-in of ${size} bytes for onnx/${name}`)
    return dtype
  }
  throw unusable('has no onnx/model_quantized.onnx (nor onnx/model.onnx)')
}

/** RoBERTa and its kin count positions from 2. */
function windowOf(modelType: string, positions: number): number {
  return /roberta|camembert/.test(modelType) ? positions - 2 : positions
}

function advice(variable: ModelRequest['variable']): string {
  const example = variable === 'RERANK_MODEL' ? 'Xenova/ms-marco-MiniLM-L-6-v2' : 'Xenova/all-MiniLM-L6-v2'
  return (
    `Set ${variable} to a folder in Hugging Face layout (config.json, tokenizer.json, tokenizer_config.json, ` +
    `onnx/model_quantized.onnx), or to a hub id such as ${example} where a hub can be reached.`
  )
}
