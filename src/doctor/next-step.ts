import type { Finding } from './finding.ts'

/** The steps of docs/existing-collection.md that must be done, and their checks. Step 4 is optional; step 5 is the use. */
const STEPS: readonly { step: number; title: string; checks: readonly string[] }[] = [
  { step: 1, title: 'reach the collection', checks: ['configuration', 'qdrant', 'collection'] },
  {
    step: 2,
    title: 'give stowage the embedder of the vectors',
    checks: ['embedder', 'dense vectors', 'embedder version'],
  },
  { step: 3, title: 'name the field with the text', checks: ['text'] },
]

export interface NextStep {
  /** Number in docs/existing-collection.md. */
  step: number
  title: string
  /** What to do. */
  fix: string
}

/**
 * The first step that is not done: that of the first failed check, else of the first warning. Null when no collection was named.
 * @param url address that was checked, of Qdrant or of a stowage before it; null when the configuration is wrong, and for the embedded
 * engine, which doctor starts for itself
 */
export function nextStep(findings: readonly Finding[], collection: string | null, url: string | null): NextStep | null {
  if (collection === null) return null
  for (const status of ['fail', 'warn'] as const) {
    for (const { step, title, checks } of STEPS) {
      const open = findings.find(finding => finding.status === status && checks.includes(finding.check))
      if (open?.fix) return { step, title, fix: open.fix }
    }
  }
  const start =
    url === null
      ? 'Start stowage serve with the same variables'
      : `If ${url} is Qdrant itself, start stowage serve, and give the backend its address in the place of this one`
  const fix = `${start}. Then ask stowage one question: POST /v1/context with "collection": "${collection}".`
  return { step: 5, title: 'send the backend through stowage', fix }
}
