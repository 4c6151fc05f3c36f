import { LONGEST_READ_QUESTION, prefixOf } from '../core/prefix.ts'
import type { Intent } from '../core/types.ts'

export interface DetectedIntent {
  label: Intent
  /** Name of the rule that matched, for the trace. */
  rule: string
}

/** Nouns of quantity: their value is a number, a date or a duration. */
const QUANTITY =
  'number|amount|percentage|percent|rate|size|limit|quota|cost|price|fee|fine|weight|length|height|depth|width|distance|duration|' +
  'temperature|pressure|speed|capacity|date|year|age|maximum|minimum|average|total|interval|threshold|ratio|tolerance'
/** Words that end the noun group after "what is the": a quantity beyond them is not what is asked for. */
const GROUP_ENDS = 'of|for|when|in|on|than|to|that|with|between|using|about|from|by'
const ASKED_QUANTITY = new RegExp(
  `\\b(?:what|which|give|find|tell)(?:\\s+(?!(?:${GROUP_ENDS})\\b)[^\\s?]{1,30}){0,6}\\s+(?:${QUANTITY})s?\\b`,
  'iu',
)

/**
 * The first match decides. What the words of the question ask for goes before what they name: "how many … in v2" is a measurement.
 * An identifier goes before the general forms, because "what does E1024 mean" is answered where E1024 stands.
 */
const RULES: readonly (DetectedIntent & { pattern: RegExp })[] = [
  { label: 'identifier', rule: 'quoted string', pattern: /"[^"\n]{2,80}"|“[^”\n]{2,80}”|`[^`\n]{1,80}`/u },
  {
    label: 'identifier',
    rule: 'uuid or hexadecimal id',
    pattern: /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-|\b0x[0-9a-f]{2,}\b/iu,
  },
  {
    label: 'comparison',
    rule: 'comparison words',
    pattern:
      /\b(?:vs\.?|versus|compared? (?:to|with)|compare|comparison|differences?|differs?|distinguish|better|worse|rather than|instead of|pros and cons|trade-?offs?)\b/iu,
  },
  {
    label: 'comparison',
    rule: 'changed between',
    pattern: /\bchanged?\b[^?]{0,120}\b(?:between|from|since)\b/iu,
  },
  {
    label: 'comparison',
    rule: 'which … or',
    pattern: /\b(?:which|whether|is it|should (?:i|we)|(?:what|which) is (?:more|less))\b[^?]{0,200}\bor\b/iu,
  },
  {
    label: 'measurement',
    rule: 'how much',
    pattern: /\bhow (?:many|much|long|far|often|old|tall|high|deep|heavy|big|large|wide|fast|hot|cold|soon|late)\b/iu,
  },
  {
    label: 'measurement',
    rule: 'when',
    pattern:
      /^\s*(?:since |until |by )?when (?:is|are|was|were|did|does|do|will|has|have|had)\b|\b(?:what|which) (?:year|day|month|time)\b/iu,
  },
  {
    label: 'identifier',
    rule: 'error or part code',
    pattern: /\b[A-Z]{1,10}[-_]?\d{2,}[A-Z0-9-]*\b|\b[A-Z]+(?:_[A-Z0-9]+)+\b/u,
  },
  { label: 'identifier', rule: 'version', pattern: /\bv\d+(?:\.\d+)*\b|\b\d+\.\d+\.\d+\b|\bversion \d/iu },
  {
    label: 'identifier',
    rule: 'command line flag or path',
    pattern: /(?:^|\s)--[a-z][\w-]+|(?:^|\s)(?:\.{0,2}\/)[\w.-]+\/[\w./-]+/iu,
  },
  {
    label: 'identifier',
    rule: 'identifier in code',
    // One small letter before a capital is that of a brand: "iPhone".
    pattern: /\b[a-z]+_[a-z0-9_]+\b|\b[a-z][a-z0-9]+[A-Z][a-zA-Z0-9]{2,}\b|\b\w+\(\)/u,
  },
  {
    label: 'procedure',
    rule: 'how a person does',
    pattern: /\bhow (?:do|can|could|should|would|may|must|shall) (?:i|we|you|one|they)\b|\bhow to\b/iu,
  },
  { label: 'measurement', rule: 'quantity word', pattern: ASKED_QUANTITY },
  {
    label: 'exploratory',
    rule: 'how a thing affects another',
    pattern:
      /\bhow (?:do|does|did|can|could|would|will)\b[^?]{0,200}\b(?:impacts?|affects?|influences?|helps?|relates?|contributes?)\b/iu,
  },
  {
    label: 'procedure',
    rule: 'how to',
    pattern: /\bhow (?:do|does|can|could|should|would|is|are|was|were)\b/iu,
  },
  {
    label: 'procedure',
    rule: 'what to do',
    pattern:
      /\bwhat to do\b|\bwhat (?:should|must|can|could|may|shall|do) (?:\w+ ){1,6}do\b|\bwhat i (?:should|must|can|could) do\b|\bways? to\b/iu,
  },
  {
    label: 'procedure',
    rule: 'wants to act',
    pattern:
      /\b(?:i|we) (?:need|want|would like) to (?!(?:know|get|obtain|find|look|learn|ask|have|see|understand|hear|be)\b)\w+|\b(?:help|info|information|guidance|advice)(?: (?:about|on|with|for|in))? (?:to )?(?!(?:regarding|concerning|during|according)\b)\w+ing\b|\b(?:help|info|information|guidance|advice) to \w+/iu,
  },
  {
    label: 'procedure',
    rule: 'steps or imperative',
    pattern:
      /\b(?:steps?|procedure|instructions?|guide|tutorial|walk me through)\b|^\s*(?:install|configure|set ?up|enable|disable|create|add|remove|delete|replace|reset|repair|fix|deploy|upgrade|migrate|run|build|open|close|start|stop)\b/iu,
  },
  {
    label: 'exploratory',
    rule: 'relation or list',
    pattern:
      /^\s*what(?:'s| is| was) (?:\w+ ){0,4}(?:effects?|impact|influence|relation|relationship|benefits?|advantages?|disadvantages?|drawbacks?|reasons?|causes?|consequences?)\b|^\s*what (?:are|were) (?:the|some|all|two|three|four|five|several|other|key|main|\d+)\b/iu,
  },
  {
    label: 'definition',
    rule: 'who or what is',
    pattern:
      /^\s*(?:who (?!(?:can|may|must|should|could|else|all)\b)|what(?:'s| is| are| was| were)\b|who's\b|which \w)/iu,
  },
  {
    label: 'definition',
    rule: 'meaning',
    pattern:
      /\b(?:define|definition|meaning|means?|stands? for|explain what|known as|(?:tell me|know|understand) what (?:an?|the) )\b/iu,
  },
]

/** Detects the intent of a query by rules, from its first 1,000 characters. */
export function detectIntent(query: string): DetectedIntent {
  const head = prefixOf(query, LONGEST_READ_QUESTION).replace(/\s+/g, ' ')
  const match = RULES.find(({ pattern }) => pattern.test(head))
  return match ? { label: match.label, rule: match.rule } : { label: 'exploratory', rule: 'default' }
}
