import { z } from 'zod'
import { StowageError } from '../../core/errors.ts'
import { defineTool, type ToolCall, writerKind } from './tool.ts'

/** In UTF-16 code units. */
const LONGEST_DOCUMENT = 1_000_000
const LONGEST_CHUNK = 50_000

const input = z.strictObject({
  document: z.string().min(1).max(LONGEST_DOCUMENT).describe('The whole document as text.'),
  chunk: z.string().min(1).max(LONGEST_CHUNK).describe('The part of the document that needs a context.'),
  title: z.string().max(1_000).optional().describe('Title of the document.'),
  section_path: z.string().max(2_000).optional().describe('Example: "Insurance > Travel > Limits".'),
  writer: writerKind,
})

/** `generate_context_for_chunk`. */
export const writeContextTool = defineTool({
  name: 'generate_context_for_chunk',
  title: 'Write the context of a chunk',
  description:
    'Writes the short text (at most about 100 words) that says where a chunk stands in its document, as it would be stored with the chunk. ' +
    'Nothing is stored. Use it to judge contexts before reindex_with_context. The last line has the quality in [0,1].',
  input,
  rights: ['read', 'operate'],
  hints: { readOnlyHint: true, openWorldHint: true },
  defaultBudget: () => 1_000,
  async run({ document, chunk, title = '', section_path = '', writer: kind = 'rules' }, call) {
    const writer = await call.services.openWriter(kind)
    refuseEndpoint(writer.endpoint, call)
    const request = {
      document: { docId: 'mcp', title, text: document, lang: null },
      chunk: { sectionPath: section_path, text: chunk, start: null },
    }
    const context = await writer.write(request, call.signal)
    const { text, quality, model, tokens, fallback } = context
    const facts = [`quality ${Math.round(quality * 100) / 100}`, `written by ${model}`, `${tokens} tokens`]
    if (fallback !== null) facts.push(`instead of the model: ${fallback}`)
    const body =
      text === '' ? 'No context: the document says nothing about this chunk that it does not say itself.' : text
    return [`${body}\n\n---\n${facts.join(' · ')}`, body]
  },
})

/** @throws StowageError `forbidden` when texts of the tenant may not go there */
function refuseEndpoint(endpoint: string | null, { caller: { tenant }, services }: ToolCall): void {
  if (endpoint === null || tenant === null || services.allowsEndpoint(tenant, endpoint)) return
  throw new StowageError('forbidden', 'The texts of this tenant may not be sent to this model; use the writer rules')
}
