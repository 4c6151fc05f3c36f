import type { Intent } from '../core/types.ts'

export interface DetectedIntent {
  label: Intent
  /** Name of the rule that matched, for the trace. */
  rule: string
}

/**
 * The first match decides, so specific rules come first: "what is the maximum …" is a measurement, although it begins like a
 * definition, and a question with an error code is about that identifier.
 */
const RULES: readonly (DetectedIntent & { pattern: RegExp })[] = [
  { label: 'identifier', rule: 'quoted string', pattern: /"[^"\n]{2,80}"|“[^”\n]{2,80}”|`[^`\n]{1,80}`/u },
  {
    label: 'identifier',
    rule: 'uuid or hexadecimal id',
    pattern: /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-|\b0x[0-9a-f]{2,}\b/iu,
  },
  {
    label: 'identifier',
    rule: 'error or part code',
    pattern: /\b[A-Z]{1,10}[-_ ]?\d{2,}[A-Z0-9-]*\b|\b[A-Z]+(?:_[A-Z0-9]+)+\b/u,
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
    pattern: /\b[a-z]+_[a-z0-9_]+\b|\b[a-z]+[a-z0-9]*[A-Z][a-zA-Z0-9]{2,}\b|\b\w+\(\)/u,
  },
  {
    label: 'comparison',
    rule: 'comparison words',
    pattern:
      /\b(?:vs\.?|versus|compared? (?:to|with)|compare|comparison|differences?|differs?|distinguish|better|worse|rather than|pros and cons|trade-?offs?)\b/iu,
  },
  {
    label: 'comparison',
    rule: 'which … or',
    pattern: /\b(?:which|whether|is it|should (?:i|we))\b[^?]{0,200}\bor\b/iu,
  },
  {
    label: 'measurement',
    rule: 'how much',
    pattern: /\bhow (?:many|much|long|far|often|old|tall|high|deep|heavy|big|large|wide|fast|hot|cold|soon|late)\b/iu,
  },
  {
    label: 'measurement',
    rule: 'quantity word',
    pattern:
      /\b(?:what|which|give|find|tell)\b[^?]{0,80}\b(?:number|amount|percentage|percent|rate|size|limit|quota|cost|price|fee|fine|weight|length|height|depth|width|distance|duration|temperature|pressure|speed|capacity|date|year|age|maximum|minimum|average|total|interval|threshold|ratio|tolerance)\b/iu,
  },
  {
    label: 'measurement',
    rule: 'when',
    pattern: /^\s*(?:since |until |by )?when\b|\b(?:what|which) (?:year|day|month|time)\b/iu,
  },
  { label: 'procedure', rule: 'how to', pattern: /\bhow (?:do|does|can|could|should|would|to|is|are)\b/iu },
  {
    label: 'procedure',
    rule: 'steps or imperative',
    pattern:
      /\b(?:steps?|procedure|instructions?|guide|tutorial|walk me through)\b|^\s*(?:install|configure|set ?up|enable|disable|create|add|remove|delete|replace|reset|repair|fix|deploy|upgrade|migrate|run|build|open|close|start|stop)\b/iu,
  },
  { label: 'definition', rule: 'who or what is', pattern: /^\s*(?:who|what)(?:'s| is| are| was| were)\b/iu },
  {
    label: 'definition',
    rule: 'meaning',
    pattern: /\b(?:define|definition|meaning|means?|stands? for|explain what)\b/iu,
  },
]

/** Detects the intent of a query by rules, from its first 1,000 characters. */
export function detectIntent(query: string): DetectedIntent {
  const head = query.slice(0, 1000)
  const match = RULES.find(({ pattern }) => pattern.test(head))
  return match ? { label: match.label, rule: match.rule } : { label: 'exploratory', rule: 'default' }
}
