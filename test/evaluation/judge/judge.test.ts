import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { type AskModel, createJudge } from '../../../src/evaluation/judge/judge.ts'
import type { Prompt } from '../../../src/evaluation/judge/prompts.ts'
import { rememberReplies } from '../../../src/evaluation/judge/remembered-replies.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const { signal } = new AbortController()
const claims = (...supported: boolean[]) =>
  JSON.stringify({ claims: supported.map((value, index) => ({ claim: `claim ${index}`, supported: value })) })
const questions = (noncommittal: boolean, ...texts: string[]) => JSON.stringify({ questions: texts, noncommittal })

/** A model that replies by the kind of prompt; a list is given out one by one. */
function modelOf(replies: { answer: string; claims: string | string[]; questions: string | string[] }) {
  const seen: Prompt[] = []
  const next = (reply: string | string[]) => (typeof reply === 'string' ? reply : (reply.shift() ?? ''))
  const ask: AskModel = async prompt => {
    seen.push(prompt)
    if (prompt.system.startsWith('Answer')) return replies.answer
    return next(prompt.system.startsWith('You check') ? replies.claims : replies.questions)
  }
  return { seen, ask }
}

/** Unit vectors in a plane: the angle of a text is the number in it, in degrees. */
const embed = async (texts: string[]) =>
  texts.map(text => {
    const angle = (Number(/-?\d+/u.exec(text)?.[0] ?? 0) * Math.PI) / 180
    return Float32Array.from([Math.cos(angle), Math.sin(angle)])
  })

describe('the judge', () => {
  it('gives the share of supported claims, and the mean cosine of the questions', async () => {
    const { seen, ask } = modelOf({
      answer: 'It is nine metres deep.',
      claims: claims(true, true, false),
      questions: questions(false, 'at 0', 'at 60', 'at 120'),
    })
    const judgement = await createJudge({ ask, embed })('How deep at 0?', 'The basin is nine metres deep.', signal)
    expect(judgement.faithfulness).toBeCloseTo(2 / 3)
    expect(judgement.answerRelevance).toBeCloseTo((1 + 0.5 + 0) / 3)
    expect(judgement.fault).toBeNull()
    expect(seen).toHaveLength(3)
    expect(seen[0]?.user).toContain('The basin is nine metres deep.')
    expect(seen.find(({ system }) => system.startsWith('Write three'))?.user).not.toContain('basin')
  })

  it('gives an evading answer no relevance, and an answer without claims no faithfulness', async () => {
    const { ask } = modelOf({ answer: 'I do not know.', claims: claims(), questions: questions(true, 'what?') })
    expect(await createJudge({ ask, embed })('q', 'c', signal)).toEqual({
      faithfulness: null,
      answerRelevance: 0,
      fault: null,
    })
  })

  it('reads JSON amid talk, and asks once more for what it cannot read', async () => {
    const { seen, ask } = modelOf({
      answer: 'Nine.',
      claims: ['I would rather not.', `Sure! \`\`\`json\n${claims(true)}\n\`\`\` Anything else?`],
      questions: ['{"questions": []}', '{"questions": "none"}'],
    })
    const judgement = await createJudge({ ask, embed })('q', 'c', signal)
    expect(judgement.faithfulness).toBe(1)
    expect(judgement.answerRelevance).toBeNull()
    expect(judgement.fault).toMatch(/replied twice with something else: questions/u)
    expect(seen).toHaveLength(5)
    expect(seen.filter(({ user }) => user.includes('could not be used: it holds no JSON object'))).toHaveLength(1)
  })

  it('tells why it has no figures when the model fails, and ends at an abort', async () => {
    const failing = createJudge({ ask: () => Promise.reject(new Error('status 500')), embed })
    expect(await failing('q', 'c', signal)).toEqual({ faithfulness: null, answerRelevance: null, fault: 'status 500' })
    const empty = modelOf({ answer: ' \n', claims: claims(true), questions: questions(false, '0') })
    expect((await createJudge({ ask: empty.ask, embed })('q', 'c', signal)).fault).toMatch(/empty answer/u)
    await expect(failing('q', 'c', AbortSignal.abort(new Error('ended')))).rejects.toThrow('ended')
  })
})

describe('remembered replies', () => {
  let folder = ''
  beforeEach(() => {
    folder = temporaryFolder('judge')
  })

  it('are paid for once, in one process and over a kill', async () => {
    const file = join(folder, 'deep', 'replies.jsonl')
    let asked = 0
    const ask: AskModel = async ({ user }) => {
      asked++
      if (user === 'fails') throw new Error('no')
      return `reply to ${user}`
    }
    const prompt = (user: string) => ({ system: 's', user })
    const first = await rememberReplies(ask, file, 'm')
    await Promise.all([first(prompt('a'), signal), first(prompt('a'), signal), first(prompt('b\n{"'), signal)])
    await expect(first(prompt('fails'), signal)).rejects.toThrow('no')
    await expect(first(prompt('fails'), signal)).rejects.toThrow('no')
    expect(asked).toBe(4)
    await appendFile(file, '\n{"key":"torn","rep')
    const second = await rememberReplies(ask, file, 'm')
    expect(await second(prompt('b\n{"'), signal)).toBe('reply to b\n{"')
    expect(await second(prompt('c'), signal)).toBe('reply to c')
    expect(asked).toBe(5)
    const third = await rememberReplies(ask, file, 'm')
    await Promise.all(['a', 'b\n{"', 'c'].map(user => third(prompt(user), signal)))
    expect(asked).toBe(5)
    await (await rememberReplies(ask, file, 'other model'))(prompt('a'), signal)
    expect(asked).toBe(6)
  })

  it('are not empty: a later replay asks again', async () => {
    const file = join(folder, 'replies.jsonl')
    for (const reply of [' ', 'an answer', 'not asked for']) {
      const ask = await rememberReplies(async () => reply, file, 'm')
      const given = await ask({ system: 's', user: 'u' }, signal)
      expect(given).toBe(reply === ' ' ? ' ' : 'an answer')
    }
  })

  it('are JSON where JSON was asked for: a later replay asks again, also when a file of before holds another reply', async () => {
    const file = join(folder, 'not-json.jsonl')
    const prompt = { system: 'You check', user: 'u' }
    await (await rememberReplies(async () => 'busy, try later', file, 'm'))(prompt, signal)
    const broken = modelOf({ answer: 'Nine.', claims: 'busy, try later', questions: 'busy, try later' })
    const judged = async (ask: AskModel) =>
      createJudge({ ask: await rememberReplies(ask, file, 'm'), embed })('How deep at 0?', 'Nine metres.', signal)
    expect((await judged(broken.ask)).faithfulness).toBeNull()
    const good = modelOf({ answer: 'not asked for', claims: claims(true), questions: questions(false, 'at 0') })
    expect(await judged(good.ask)).toEqual({ faithfulness: 1, answerRelevance: 1, fault: null })
    expect(good.seen).toHaveLength(2)
    expect(await judged(async () => 'not asked for')).toEqual({ faithfulness: 1, answerRelevance: 1, fault: null })
    const isJson = (reply: string) => reply.startsWith('{')
    const again = await rememberReplies(async () => '{}', file, 'm')
    expect(await again(prompt, signal, isJson)).toBe('{}')
  })

  it('come from a file of other things without a fault', async () => {
    const file = join(folder, 'replies.jsonl')
    await writeFile(file, 'null\n[]\n{"key":1,"reply":2}\n\u0000\n')
    const ask = await rememberReplies(async () => 'fresh', file, 'm')
    expect(await ask({ system: '', user: '' }, signal)).toBe('fresh')
    expect(await readFile(file, 'utf8')).toContain('fresh')
  })
})
