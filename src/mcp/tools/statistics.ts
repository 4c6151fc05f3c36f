import { z } from 'zod'
import { collectionName } from '../../pipeline/context-request.ts'
import { counted, printable } from '../../text/printable.ts'
import type { CollectionContexts } from '../services.ts'
import { defineTool } from './tool.ts'

/** Most characters of the name of a model, which is stored with each context. */
const LONGEST_MODEL = 100

const input = z.strictObject({ collection: collectionName.describe('Name of the collection. Example: "docs".') })

/** `get_contextual_retrieval_stats`. */
export const statisticsTool = defineTool({
  name: 'get_contextual_retrieval_stats',
  title: 'Contexts of a collection',
  description:
    'Says how many points of a collection have a context, of which quality in [0,1] and by which model, and, to operators, the tokens and US dollars spent. ' +
    'Use it to decide whether reindex_with_context is worth it.',
  input,
  rights: ['read', 'operate'],
  hints: { readOnlyHint: true, openWorldHint: false },
  defaultBudget: () => 1_000,
  run: async ({ collection }, { services, caller, signal }) => {
    const lines = statisticsLines(collection, await services.contextsOf(collection, caller, signal))
    return [lines.join('\n'), lines.slice(0, 2).join('\n')]
  },
})

function statisticsLines(collection: string, found: CollectionContexts): string[] {
  const { points, isPartial, withoutText, withContext, outdated, byModel, byQuality, tokens, spent } = found
  const withText = points - withoutText
  const share = withText === 0 ? 0 : Math.round((withContext / withText) * 1_000) / 10
  const lines = [
    `${collection}: ${withContext} of ${withText} points with text have a context (${share} %).${isPartial ? ` Only the first ${points} points were read.` : ''}`,
    `${counted(outdated, 'context is', 'contexts are')} outdated, because the text has changed. ${counted(withoutText, 'point has', 'points have')} no text. Contexts have ${tokens} tokens.`,
  ]
  if (withContext + outdated > 0) lines.push(`By model: ${counts(byModel)}.`, `By quality, from: ${counts(byQuality)}.`)
  if (spent !== null) {
    const { input: fresh, cached, cacheWritten, output } = spent.usage
    const cost =
      spent.dollars === null ? 'cost unknown, because a model has no price' : `${spent.dollars.toFixed(4)} US dollars`
    lines.push(
      `Models were asked ${counted(spent.calls, 'time')}: ${fresh + cacheWritten} tokens read, ${cached} from prompt caches, ${output} written; ${cost}.`,
    )
  }
  return lines
}

function counts(byName: Readonly<Record<string, number>>): string {
  const sorted = Object.entries(byName).sort(([a], [b]) => (a < b ? 1 : -1))
  return sorted.map(([name, count]) => `${printable(name, LONGEST_MODEL)}: ${count}`).join(', ')
}
