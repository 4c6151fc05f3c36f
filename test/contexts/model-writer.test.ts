import { describe, expect, it } from 'vitest'
import { type ChunkContext, type ContextWriter, NO_USAGE } from '../../src/contexts/context.ts'
import { type AskModel, createModelWriter, FailedCallError, type ModelReply } from '../../src/contexts/model-writer.ts'
import { type ContextPrompt, createPromptBuilder } from '../../src/contexts/prompt/prompt.ts'
import { readTemplate } from '../../src/contexts/prompt/template.ts'
import { StowageError } from '../../src/core/errors.ts'
import { CONTEXT_FAULTS } from '../../src/core/vocabulary.ts'
import { countTokens, GOOD_CONTEXT, THRESHOLD } from './support/requests.ts'

const { signal } = new AbortController()
const USED = { input: 10, cached: 5, cacheWritten: 2, output: 3 }
const reply = (text: string, cutOff = false): ModelReply => ({ text, usage: USED, cutOff })
const BY_RULES: ChunkContext = {
  ...{ text: 'From the rules.', quality: 0.9, model: 'rules', tokens: 4 },
  ...{ usage: NO_USAGE, calls: 0, fallback: null },
}
const rules: ContextWriter = {
  ...{ model: 'rules', version: 'rules-1', endpoint: null, concurrency: 1 },
  write: async () => BY_RULES,
}

/** A writer whose model answers in this order. */
function writerOf(...answers: (ModelReply | Error)[]) {
  const prompts: ContextPrompt[] = []
  const ask: AskModel = async prompt => {
    const answer = answers[prompts.push(prompt) - 1]
    if (answer === undefined) throw new Error('asked too often')
    if (answer instanceof Error) throw answer
    return answer
  }
  const prompt = createPromptBuilder({ countTokens })
  const options = { ask, rules, model: 'model-1', endpoint: 'http://model', concurrency: 10, countTokens, prompt }
  return { writer: createModelWriter(options), prompts, options }
}

const twice = { input: 20, cached: 10, cacheWritten: 4, output: 6 }

describe('contexts by a model', () => {
  it('are the text of the model when it passes', async () => {
    const { writer } = writerOf(reply(`"${GOOD_CONTEXT}"`))
    expect(await writer.write(THRESHOLD, signal)).toEqual({
      ...{ text: GOOD_CONTEXT, quality: 1, model: 'model-1', tokens: countTokens(GOOD_CONTEXT) },
      ...{ usage: USED, calls: 1, fallback: null },
    })
  })

  it('are asked for once more with the faults named, and both calls are counted', async () => {
    const { writer, prompts } = writerOf(reply(`Here is the ${GOOD_CONTEXT}`), reply(GOOD_CONTEXT))
    expect(await writer.write(THRESHOLD, signal)).toMatchObject({
      text: GOOD_CONTEXT,
      calls: 2,
      usage: twice,
      fallback: null,
    })
    expect(prompts[0]?.suffix).not.toContain(CONTEXT_FAULTS.generic_opening.advice)
    expect(prompts[1]?.suffix).toContain(CONTEXT_FAULTS.generic_opening.advice)
    expect(prompts[1]?.prefix).toBe(prompts[0]?.prefix)
  })

  it('are those of the rules after two that do not pass', async () => {
    const { writer } = writerOf(reply("I'm sorry, I cannot do that."), reply(''))
    expect(await writer.write(THRESHOLD, signal)).toEqual({
      ...BY_RULES,
      usage: twice,
      calls: 2,
      fallback: 'low_quality',
    })
  })

  it.each(['rate_limited', 'endpoint_failed', 'timeout', 'rejected'] as const)(
    'are those of the rules after a call that failed: %s',
    async fallback => {
      const { writer } = writerOf(new FailedCallError(fallback, 'failed', { usage: USED }))
      expect(await writer.write(THRESHOLD, signal)).toEqual({ ...BY_RULES, usage: USED, calls: 1, fallback })
    },
  )

  it('are asked for once more after an answer that could not be read', async () => {
    const unreadable = new FailedCallError('unreadable', 'no JSON')
    expect(await writerOf(unreadable, reply(GOOD_CONTEXT)).writer.write(THRESHOLD, signal)).toMatchObject({
      calls: 2,
      fallback: null,
    })
    expect(await writerOf(unreadable, unreadable).writer.write(THRESHOLD, signal)).toMatchObject({
      calls: 2,
      fallback: 'unreadable',
    })
  })

  it('lose the end of a text that broke off at the limit of its tokens', async () => {
    const { writer } = writerOf(reply(`${GOOD_CONTEXT} It also holds for`, true))
    expect(await writer.write(THRESHOLD, signal)).toMatchObject({ text: GOOD_CONTEXT })
  })

  it('end the run when no call can succeed, and at an abort', async () => {
    const refused = new StowageError('bad_request', 'CONTEXT_API_KEY: refused')
    await expect(writerOf(refused).writer.write(THRESHOLD, signal)).rejects.toBe(refused)
    await expect(writerOf().writer.write(THRESHOLD, AbortSignal.abort(new Error('ended')))).rejects.toThrow('ended')
  })

  it('end the run when the endpoint fails 30 times in a row, and not before', async () => {
    const away = new FailedCallError('endpoint_failed', 'away')
    const odd = new FailedCallError('rejected', 'too long')
    const failures = (count: number) => Array.from({ length: count }, () => away)
    const { writer } = writerOf(...failures(29), odd, ...failures(29), reply(GOOD_CONTEXT), ...failures(31))
    const written: (string | null)[] = []
    for (let at = 0; at < 60 + 29; at++) written.push((await writer.write(THRESHOLD, signal)).fallback)
    expect(written.filter(fallback => fallback === 'endpoint_failed')).toHaveLength(29 * 3)
    await expect(writer.write(THRESHOLD, signal)).rejects.toThrow(/^http:\/\/model failed 30 times in a row/)
    expect(await writer.write(THRESHOLD, signal)).toMatchObject({ fallback: 'endpoint_failed' })
  })

  it('have a version that changes with the model, the prompt and the rules', () => {
    const { options } = writerOf()
    const { template } = readTemplate('{{document}} {{chunk}}')
    if (template === null) throw new Error('refused')
    const versions = [
      options,
      { ...options, model: 'model-2' },
      { ...options, rules: { ...rules, version: 'rules-2' } },
      { ...options, prompt: createPromptBuilder({ template, countTokens }) },
    ].map(changed => createModelWriter(changed).version)
    expect(new Set(versions).size).toBe(4)
    expect(createModelWriter({ ...options, endpoint: 'http://other', concurrency: 3 }).version).toBe(versions[0])
  })
})
