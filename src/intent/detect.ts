import type { Intent } from '../core/types.ts'

export interface DetectedIntent {
  label: Intent
  /** Name of the rule that fired, for the trace. */
  rule: string
}

interface Rule {
  label: Intent
  name: string
  pattern: RegExp
}

/**
 * First match wins, so the order is from the specific to the general: "what is the maximum …" is a measurement
 * although it begins as a definition does, and an error code outranks the question wrapped around it.
 */
const RULES: readonly Rule[] = [
  { label: 'identifier', name: 'quoted string', pattern: /"[^"\n]{2,80}"|“[^”\n]{2,80}”|`[^`\n]{1,80}`/u },
  {
    label: 'identifier',
    name: 'uuid or hexadecimal id',
    pattern: /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-|\b0x[0-9a-f]{2,}\b/iu,
  },
  {
    label: 'identifier',
    name: 'error or part code',
    pattern: /\b[A-Z]{1,10}[-_ ]?\d{2,}[A-Z0-9-]*\b|\b[A-Z]+(?:_[A-Z0-9]+)+\b/u,
  },
  { label: 'identifier', name: 'version', pattern: /\bv\d+(?:\.\d+)*\b|\b\d+\.\d+\.\d+\b|\bversion \d/iu },
  {
    label: 'identifier',
    name: 'command line flag or path',
    pattern: /(?:^|\s)--[a-z][\w-]+|(?:^|\s)(?:\.{0,2}\/)[\w.-]+\/[\w./-]+/iu,
  },
  {
    label: 'identifier',
    name: 'identifier in code',
    pattern: /\b[a-z]+_[a-z0-9_]+\b|\b[a-z]+[a-z0-9]*[A-Z][a-zA-Z0-9]{2,}\b|\b\w+\(\)/u,
  },
  {
    label: 'comparison',
    name: 'comparison words',
    pattern:
      /\b(?:vs\.?|versus|compared? (?:to|with)|compare|comparison|differences?|differs?|distinguish|better|worse|rather than|pros and cons|trade-?offs?)\b/iu,
  },
  {
    label: 'comparison',
    name: 'which … or',
    pattern: /\b(?:which|whether|is it|should (?:i|we))\b[^?]{0,200}\bor\b/iu,
  },
  {
    label: 'measurement',
    name: 'how much',
    pattern: /\bhow (?:many|much|long|far|often|old|tall|high|deep|heavy|big|large|wide|fast|hot|cold|soon|late)\b/iu,
  },
  {
    label: 'measurement',
    name: 'quantity word',
    pattern:
      /\b(?:what|which|give|find|tell)\b[^?]{0,80}\b(?:number|amount|percentage|percent|rate|size|limit|quota|cost|price|fee|fine|weight|length|height|depth|width|distance|duration|temperature|pressure|speed|capacity|date|year|age|maximum|minimum|average|total|interval|threshold|ratio|tolerance)\b/iu,
  },
  {
    label: 'measurement',
    name: 'when',
    pattern: /^\s*(?:since |until |by )?when\b|\b(?:what|which) (?:year|day|month|time)\b/iu,
  },
  { label: 'procedure', name: 'how to', pattern: /\bhow (?:do|does|can|could|should|would|to|is|are)\b/iu },
  {
    label: 'procedure',
    name: 'steps or imperative',
    pattern:
      /\b(?:steps?|procedure|instructions?|guide|tutorial|walk me through)\b|^\s*(?:install|configure|set ?up|enable|disable|create|add|remove|delete|replace|reset|repair|fix|deploy|upgrade|migrate|run|build|open|close|start|stop)\b/iu,
  },
  { label: 'definition', name: 'who or what is', pattern: /^\s*(?:who|what)(?:'s| is| are| was| were)\b/iu },
  {
    label: 'definition',
    name: 'meaning',
    pattern: /\b(?:define|definition|meaning|means?|stands? for|explain what)\b/iu,
  },
]

/**
 * Labels a query by rules alone: no model, linear in its length.
 * @param query any text; only its first 1,000 characters are read
 */
export function detectIntent(query: string): DetectedIntent {
  const head = query.slice(0, 1000)
  const rule = RULES.find(({ pattern }) => pattern.test(head))
  return rule ? { label: rule.label, rule: rule.name } : { label: 'exploratory', rule: 'default' }
}
