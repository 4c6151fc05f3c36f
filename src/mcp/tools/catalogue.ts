import type { McpCaller } from '../caller.ts'
import { explainTraceTool } from './explain-trace.ts'
import { reindexTool } from './reindex.ts'
import { reindexProgressTool } from './reindex-progress.ts'
import { searchTool } from './search.ts'
import { statisticsTool } from './statistics.ts'
import type { Tool } from './tool.ts'
import { writeContextTool } from './write-context.ts'

export const TOOLS: readonly Tool[] = [
  searchTool,
  explainTraceTool,
  writeContextTool,
  statisticsTool,
  reindexTool,
  reindexProgressTool,
]

/** The tools that a caller may use. A model should not see the others. */
export function toolsFor(caller: McpCaller): Tool[] {
  return TOOLS.filter(({ rights }) => rights.some(right => caller.rights.has(right)))
}
