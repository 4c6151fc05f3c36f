import { z } from 'zod'
import { replacedTexts } from '../../contextualize/report/replaced.ts'
import { StowageError } from '../../core/errors.ts'
import { counted, printable } from '../../text/printable.ts'
import { ownerOf } from '../caller.ts'
import type { Job } from '../jobs/jobs.ts'
import type { ReindexProgress } from '../jobs/reindexing.ts'
import { defineTool } from './tool.ts'

const MOST_SECONDS = 30

const input = z.strictObject({
  job: z.string().min(1).max(200).optional().describe('Id from reindex_with_context. Default: the latest job.'),
  wait_seconds: z
    .number()
    .min(0)
    .max(MOST_SECONDS)
    .optional()
    .describe('Wait so long for the end of the job, with progress notifications. Default: 0. Example: 20.'),
})

export const reindexProgressTool = defineTool({
  name: 'get_reindexing_progress',
  title: 'Progress of a job',
  description: `Says how far a job of reindex_with_context is, what it has cost, and how it ended. Waits up to ${MOST_SECONDS} s when asked to.`,
  input,
  rights: ['operate'],
  hints: { readOnlyHint: true, openWorldHint: false },
  defaultBudget: () => 500,
  async run({ job: id = null, wait_seconds: seconds = 0 }, { services, caller, signal, report }) {
    const job = services.jobs.find(id, ownerOf(caller))
    if (job === null) throw new StowageError('not_found', id === null ? 'There is no job yet' : 'There is no such job')
    const tell = (progress: ReindexProgress) => void report({ ...progress, message: progressText(progress) })
    if (job.progress !== null) tell(job.progress)
    await services.jobs.wait(job, seconds * 1_000, tell, signal)
    return [jobText(job), `${job.state}`]
  },
})

/** State, progress and result of a job, one line each. */
export function jobText({ id, request, state, progress, result, error }: Job): string {
  const lines = [`Job ${id}, contexts for ${request.collection} by ${request.writer}: ${state}.`]
  if (state === 'running') lines.push(progress === null ? 'The collection is being read.' : progressText(progress))
  if (result !== null) lines.push(...resultLines(result))
  if (error !== null) lines.push(error)
  return lines.join('\n')
}

function resultLines(result: NonNullable<Job['result']>): string[] {
  const { stored, points, left, stoppedBy, dollars, warnings } = result
  const why = stoppedBy === 'budget' ? 'the budget is used up' : 'others keep changing them'
  return [
    `${counted(stored, 'context was', 'contexts were')} stored in a collection of ${counted(points, 'point')}.${costText(dollars)}`,
    ...replacedTexts(result).map(text => `${text}.`),
    ...(stoppedBy === null
      ? []
      : [`${counted(left, 'point still needs', 'points still need')} a context: ${why}. Run it again to go on.`]),
    ...warnings.map(warning => printable(warning)),
  ]
}

function progressText({ done, total, dollars }: ReindexProgress): string {
  return `${done} of ${total} points have a context.${costText(dollars)}`
}

function costText(dollars: number | null): string {
  return dollars === null ? '' : ` ${dollars.toFixed(4)} US dollars are spent.`
}
