import { describe, expect, it } from 'vitest'
import { detectIntent } from '../../src/intent/detect.ts'

const CASES = {
  definition: [
    'Who is Isharoth?',
    'What is a tide ledger?',
    'define brine debt',
    'What does ACL stand for?',
    "What's the Lower Gate",
  ],
  measurement: [
    'How many keepers serve the tower?',
    'What is the maximum load of the crane?',
    'When was the treaty signed?',
    'how long does the filter last',
    'When was the first case of COVID19 confirmed?',
    'How many casks came in FR 316?',
  ],
  procedure: [
    'How do I reset the pump?',
    'steps to drain the lock',
    'Install the agent on Debian',
    'How should the seal be replaced?',
    'How do I run R on an iPhone?',
  ],
  identifier: [
    'What does ISH-4417 mean?',
    'error E1024 after upgrade',
    'changes in v2.3.1',
    'where is "bell at dusk" mentioned',
    'use of with_payload',
    'what does --dry-run do',
    'maxRetryCount default',
  ],
  comparison: [
    'difference between the old and the new charter',
    'Qdrant vs Elasticsearch',
    'Which is faster, the ferry or the bridge?',
    'How does the 1st edition compare to the 2nd?',
    'How did the greasing interval change from the FR 315 schedule to the FR 318 one?',
    'How does the genome of 2019-vCOV compare with SARS-COV?',
  ],
  exploratory: [
    'tide keepers',
    'Tell me about life in the harbour',
    '',
    '?',
    'How did the greasing interval change',
    'When should I use the Pushgateway?',
    'When deciding on a pump, what two factors count?',
    'Why was lamp oil so dear in the autumn of FR 317?',
    'How does the size of the window affect the answer?',
  ],
}

describe('detectIntent', () => {
  for (const [label, queries] of Object.entries(CASES))
    it.each(queries)(`${label}: %s`, query => {
      expect(detectIntent(query).label).toBe(label)
    })

  it('names the rule that matched', () => {
    expect(detectIntent('What does ISH-4417 mean?')).toEqual({ label: 'identifier', rule: 'error or part code' })
  })

  it('reads hostile text without harm', () => {
    for (const text of [
      'a'.repeat(100_000),
      '"'.repeat(100_000),
      'which '.repeat(20_000),
      '\ud800\u0000',
      '/'.repeat(8192),
    ])
      expect(detectIntent(text).rule).not.toBe('')
  })
})
