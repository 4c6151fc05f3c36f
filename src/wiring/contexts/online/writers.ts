import type { Config } from '../../../config.ts'
import type { ContextWriter } from '../../../contexts/context.ts'
import { createRulesWriter } from '../../../contexts/rules/rules-writer.ts'
import { costOf } from '../../../contexts/spending/prices.ts'
import type { Tokenizer } from '../../../core/ports.ts'
import type { Reporter } from '../../../observe/events.ts'
import type { Project } from '../../../projects/project.ts'
import { openContextWriter, openPrice } from '../open-writer.ts'

/** The writers of contexts for new points. Each is kept, because it holds the limits of its endpoint. */
export class OnlineWriters {
  readonly rules: ContextWriter
  readonly #config: Config
  readonly #countTokens: Tokenizer['count']
  readonly #reporter: Pick<Reporter, 'contextWritten'>
  readonly #models = new Map<string, ContextWriter>()

  constructor(config: Config, countTokens: Tokenizer['count'], reporter: Pick<Reporter, 'contextWritten'>) {
    this.#config = config
    this.#countTokens = countTokens
    this.#reporter = reporter
    this.rules = this.#observed(createRulesWriter({ countTokens }))
  }

  /** The writer that a project asks for: a model, or the rules where it names none. */
  of({ context }: Project): ContextWriter {
    const { writer: kind = 'off', prompt_file: prompt } = context ?? {}
    if (kind === 'rules' || kind === 'off') return this.rules
    const key = JSON.stringify([kind, prompt])
    const settings = { ...this.#config.settings, ...(prompt && { CONTEXT_PROMPT_FILE: prompt }) }
    const writer =
      this.#models.get(key) ?? this.#observed(openContextWriter({ ...this.#config, settings }, kind, this.#countTokens))
    this.#models.set(key, writer)
    return writer
  }

  /** A writer that reports its contexts. Between two of them the event loop has a turn, because the rules do not wait for anything. */
  #observed(writer: ContextWriter): ContextWriter {
    const price = openPrice(this.#config, writer)
    return {
      ...writer,
      write: async (request, signal) => {
        await new Promise(resolve => setImmediate(resolve))
        const context = await writer.write(request, signal)
        this.#reporter.contextWritten({ model: writer.model, context, dollars: costOf(context.usage, price) })
        return context
      },
    }
  }
}
