import type { ContextDocument, ContextRequest } from '../../../src/contexts/context.ts'

/** Counts four characters as a token, without the 0.1 s for a real tokenizer. */
export const countTokens = (text: string): number => Math.ceil(text.length / 4)

export const POLICY: ContextDocument = {
  docId: 'policy',
  title: 'Travel insurance policy 2026',
  lang: 'en',
  text: `# Travel insurance policy 2026

This policy covers employees of Northwind Traders who travel on business. It is reviewed by the finance department every year.

## Level 3 travel

Level 3 travel means journeys to regions with elevated risk, which the security officer must approve in advance.

The threshold is $500,000 for each person and journey.

## Claims

Claims are sent to the finance department within thirty days after the return.
`,
}

export const THRESHOLD: ContextRequest = {
  document: POLICY,
  chunk: {
    sectionPath: 'Level 3 travel',
    text: 'The threshold is $500,000 for each person and journey.',
    start: POLICY.text.indexOf('The threshold'),
  },
}

/** A context without faults. */
export const GOOD_CONTEXT =
  'Insurance limit of the Northwind Traders travel policy for level 3 travel, that is, journeys of employees to regions with elevated risk that the security officer must approve. The threshold for each person belongs to the section on level 3 travel, and claims go to the finance department.'

/** A request about a chunk of a generated document. */
export function requestFor(
  text: string,
  documentText = `${text}\n\nMore about gardens, rivers and mountains.`,
): ContextRequest {
  return {
    document: { docId: 'd', title: 'Title', text: documentText, lang: null },
    chunk: { sectionPath: 'A > B', text, start: null },
  }
}
