import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config.ts'
import type { WriterKind } from '../../../src/contexts/context.ts'
import { openContextWriter, openPrice, openPrompt } from '../../../src/wiring/contexts/open-writer.ts'
import { countTokens, GOOD_CONTEXT, THRESHOLD } from '../../contexts/support/requests.ts'
import { startLlmServer } from '../../support/llm-server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const folder = temporaryFolder('stowage-contexts')
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
const open = (kind: WriterKind, environment: Record<string, string> = {}) =>
  openContextWriter(loadConfig(environment), kind, countTokens)

describe('the writer of contexts', () => {
  it('is that of the rules, which needs no setting and sends nothing', () => {
    expect(open('rules')).toMatchObject({ model: 'rules', endpoint: null })
  })

  it.each(['openai', 'anthropic'] as const)('asks the endpoint of the settings: %s', async kind => {
    const server = await startLlmServer({ answer: () => GOOD_CONTEXT, key: 'k', models: ['m'] })
    try {
      const base = kind === 'openai' ? `${server.url}/v1` : server.url
      const prompt = file(`${kind}.txt`, 'Own prompt <document>\n{{document}}\n</document><chunk>\n{{chunk}}\n</chunk>')
      const writer = open(kind, {
        ...{ CONTEXT_MODEL: 'm', CONTEXT_API_KEY: 'k', CONTEXT_BASE_URL: base, CONTEXT_CONCURRENCY: '3' },
        CONTEXT_PROMPT_FILE: prompt,
      })
      expect(writer).toMatchObject({ model: 'm', endpoint: base, concurrency: 3 })
      expect(await writer.write(THRESHOLD, new AbortController().signal)).toMatchObject({
        text: GOOD_CONTEXT,
        fallback: null,
      })
      expect(server.stats().requests.map(({ chunk }) => chunk)).toEqual([THRESHOLD.chunk.text])
      expect(server.stats().requests[0]?.prompt).toContain('Own prompt')
    } finally {
      await server.close()
    }
  })

  it.each<[WriterKind, Record<string, string>, RegExp]>([
    ['openai', {}, /^CONTEXT_MODEL: not set/u],
    ['anthropic', { CONTEXT_MODEL: 'm' }, /^CONTEXT_API_KEY: not set\. Set it, or set CONTEXT_BASE_URL/u],
    [
      'openai',
      { CONTEXT_MODEL: 'm', CONTEXT_API_KEY: 'k', CONTEXT_PROMPT_FILE: './no/prompt.txt' },
      /^CONTEXT_PROMPT_FILE=\.\/no\/prompt\.txt: cannot be read: ENOENT$/u,
    ],
  ])('names the setting that is missing or wrong: %s with %j', (kind, environment, fault) => {
    expect(() => open(kind, environment)).toThrow(fault)
  })

  it('names each fault of a prompt file, and of a price file', () => {
    const prompt = file('bad.txt', '{{chunk}} {{tittle}}')
    expect(() => openPrompt(loadConfig({ CONTEXT_PROMPT_FILE: prompt }), countTokens)).toThrow(
      /bad\.txt: unknown placeholder tittle; did you mean title\?\n.*bad\.txt: \{\{document\}\} is missing/u,
    )
    const prices = loadConfig({ CONTEXT_PRICES_FILE: file('prices.json', '{"m": {"input": 1}}') })
    expect(() => openPrice(prices, open('rules'))).toThrow(/CONTEXT_PRICES_FILE=.*prices\.json\.m\.output: /u)
  })

  it('goes to OpenAI and Anthropic without a base URL, at their price', () => {
    const settings = { CONTEXT_MODEL: 'claude-haiku-4-5', CONTEXT_API_KEY: 'k' }
    const writer = open('anthropic', settings)
    expect(writer.endpoint).toBe('https://api.anthropic.com')
    expect(openPrice(loadConfig(settings), writer)?.input).toBe(1)
    expect(open('openai', settings).endpoint).toBe('https://api.openai.com/v1')
  })
})
