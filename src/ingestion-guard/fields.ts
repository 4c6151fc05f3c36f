/** What the JSON of a payload field must be. */
export type FieldKind = 'text' | 'position' | 'share' | 'list of texts'

/** The fields that stowage writes and reads. Others are free. */
export const PAYLOAD_FIELDS: ReadonlyMap<string, FieldKind> = new Map(
  Object.entries({
    doc_id: 'text',
    doc_title: 'text',
    section_path: 'text',
    header: 'text',
    order_index: 'position',
    char_start: 'position',
    char_end: 'position',
    text: 'text',
    embedder_version: 'text',
    tenant: 'text',
    space_id: 'text',
    acl: 'list of texts',
    lang: 'text',
    content_hash: 'text',
    parent_id: 'text',
    context: 'text',
    context_model: 'text',
    context_version: 'text',
    context_tokens: 'position',
    context_quality: 'share',
  } satisfies Record<string, FieldKind>),
)

/**
 * The fields that every point of a managed collection needs: without text it cannot be in a context, and by the id of the document the
 * chunks of one document are found, capped and replaced. `embedder_version` is needed too as soon as the collection has one. Without
 * any other field a point is still found.
 */
export const REQUIRED_FIELDS = ['doc_id', 'text'] as const

/** A value as it stands in the body. */
export interface FieldValue {
  /** The JSON, or its beginning. */
  json: string
  isWhole: boolean
  /** Whether no element of an array is anything but a text. True for other values. */
  allTexts: boolean
}

/** Whether a payload has no value for a field: absent, null, or a blank text. */
export function isMissing(value: FieldValue | undefined): value is undefined {
  return value === undefined || value.json === 'null' || readText(value)?.trim() === ''
}

export function fits(value: FieldValue, kind: FieldKind): boolean {
  switch (kind) {
    case 'text':
      return value.json.startsWith('"')
    case 'position':
      // Conditions of Qdrant match whole numbers only when they are written as such: 5.0 is not 5.
      return /^(?:0|[1-9][0-9]{0,15})$/.test(value.json)
    case 'share':
      return /^-?[0-9.]+(?:[eE][-+]?[0-9]+)?$/.test(value.json) && Number(value.json) >= 0 && Number(value.json) <= 1
    case 'list of texts':
      return value.json.startsWith('[') && value.allTexts
  }
}

/** The text of a JSON string, or its JSON when it is too long or malformed; null for another value. */
export function readText({ json, isWhole }: FieldValue): string | null {
  if (!json.startsWith('"')) return null
  try {
    return isWhole ? JSON.parse(json) : json
  } catch {
    return json
  }
}
