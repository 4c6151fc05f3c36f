/**
 * Builds model inputs from token ids. The library cuts a long pair on its right, which loses the last [SEP] and, behind a
 * long query, the whole passage; here each part is clipped on its own and every special token stays.
 */

type Slot = 'query' | 'passage'
type Part = { type: number } & ({ id: number } | { slot: Slot })

/** The order of special tokens and texts that a model wants, with their token types. */
export interface InputTemplate {
  parts: Part[]
  /** Special tokens in an input. */
  overhead: number
}

/** What the model is given: ids and token types of one input. */
export interface ModelInput {
  ids: number[]
  types: number[]
}

/** Share of the room that a long query may take from a long passage. */
const QUERY_SHARE = 1 / 3

/**
 * Learns a template from how the model's own tokenizer encodes a sample: `encoded` holds `query` (for pairs) and then
 * `passage` among its special tokens. Throws when it does not.
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
  if (slots.length > 0) throw new Error('the tokenizer does not keep the tokens of a text together')
  return { parts, overhead }
}

/**
 * One input of at most `maxTokens` tokens, special ones included. A query is clipped to a third of the room, or to what
 * the passage leaves free if that is more; the passage takes the rest.
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

/** One input of a single text, of at most `maxTokens` tokens, special ones included. */
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
