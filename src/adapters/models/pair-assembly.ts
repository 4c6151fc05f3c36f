import { prefixOf } from '../../core/prefix.ts'

/**
 * Builds model inputs from token ids. The model library cuts a long pair at its end, which loses the last [SEP] and, after a
 * long query, the whole passage. Here query and passage are cut separately and all special tokens are kept.
 */

type Slot = 'query' | 'passage'
type Part = { type: number } & ({ id: number } | { slot: Slot })

/** The order of special tokens and texts in an input, with their token types. */
interface InputTemplate {
  parts: Part[]
  /** Number of special tokens. */
  overhead: number
}

/** Token ids and token types of one input. */
export interface ModelInput {
  ids: number[]
  types: number[]
}

/** A text is cut to this many characters per token of the window, because tokenizers read the whole text. */
const CHARACTERS_PER_TOKEN = 10

/** The part of a text that is tokenized for a window of `maxTokens` tokens. */
export function readablePart(text: string, maxTokens: number): string {
  return prefixOf(text, maxTokens * CHARACTERS_PER_TOKEN)
}

/** Share of the available tokens that a long query gets next to a long passage. */
const QUERY_SHARE = 1 / 3

/**
 * Derives a template from a sample that the model's tokenizer has encoded: `encoded` contains the ids of `query` (for pairs)
 * and then of `passage` between its special tokens.
 * @throws Error when it does not contain them
 */
export function learnTemplate(encoded: ModelInput, sample: { query?: number[]; passage: number[] }): InputTemplate {
  const slots: [Slot, number[]][] = [['passage', sample.passage]]
  if (sample.query !== undefined) slots.unshift(['query', sample.query])
  const parts: Part[] = []
  let overhead = 0
  for (let at = 0; at < encoded.ids.length; ) {
    const type = encoded.types[at] ?? 0
    const [slot, ids] = slots[0] ?? []
    if (slot && ids?.every((id, offset) => encoded.ids[at + offset] === id)) {
      parts.push({ slot, type })
      slots.shift()
      at += ids.length
    } else {
      parts.push({ id: encoded.ids[at] ?? 0, type })
      overhead++
      at++
    }
  }
  if (slots.length > 0) throw new Error('the tokenizer does not keep the tokens of a text in sequence')
  return { parts, overhead }
}

/**
 * Input of a pair, at most `maxTokens` tokens with special tokens. The query is cut to a third of the available tokens, or to
 * those that the passage does not need if they are more; the passage gets the rest.
 */
export function assemblePair(
  template: InputTemplate,
  query: readonly number[],
  passage: readonly number[],
  maxTokens: number,
): ModelInput {
  const room = Math.max(0, maxTokens - template.overhead)
  const queryRoom = Math.max(Math.floor(room * QUERY_SHARE), room - passage.length)
  const clippedQuery = query.slice(0, queryRoom)
  return assemble(template, { query: clippedQuery, passage: passage.slice(0, room - clippedQuery.length) })
}

/**
 * One text of a pair without the other, at most `maxTokens` tokens: its tokens and the special tokens of its type.
 * @throws Error when both texts of a pair have the same type
 */
export function assembleSide(
  template: InputTemplate,
  slot: Slot,
  text: readonly number[],
  maxTokens: number,
): ModelInput {
  const parts = sideParts(template, slot)
  const room = Math.max(0, maxTokens - (parts.length - 1))
  return assemble({ parts, overhead: parts.length - 1 }, { query: [], passage: [], [slot]: text.slice(0, room) })
}

/** Number of special tokens before the text in `assembleSide`. @throws Error when both texts of a pair have the same type */
export function sideStart(template: InputTemplate, slot: Slot): number {
  return sideParts(template, slot).findIndex(part => 'slot' in part)
}

/** The parts of a pair that have the type of one text. */
function sideParts(template: InputTemplate, slot: Slot): Part[] {
  const texts = template.parts.filter(part => 'slot' in part)
  const [own, other] = [texts.find(part => part.slot === slot), texts.find(part => part.slot !== slot)]
  if (own?.type === other?.type) throw new Error('the tokenizer does not tell the texts of a pair apart')
  return template.parts.filter(part => part.type === own?.type)
}

/** Input of a single text, at most `maxTokens` tokens with special tokens. */
export function assembleSingle(template: InputTemplate, text: readonly number[], maxTokens: number): ModelInput {
  return assemble(template, { query: [], passage: text.slice(0, Math.max(0, maxTokens - template.overhead)) })
}

function assemble(template: InputTemplate, texts: Record<Slot, readonly number[]>): ModelInput {
  const input: ModelInput = { ids: [], types: [] }
  for (const part of template.parts) {
    for (const id of 'id' in part ? [part.id] : texts[part.slot]) {
      input.ids.push(id)
      input.types.push(part.type)
    }
  }
  return input
}
