import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AutoModelForSequenceClassification } from '@xenova/transformers'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createCrossEncoder } from '../../../../src/adapters/models/cross-encoder.ts'
import {
  type LateInteractionModel,
  loadLateInteraction,
} from '../../../../src/adapters/models/late-interaction/model.ts'
import { loadModel, logitOf } from '../../../../src/adapters/models/load.ts'
import { findModel, type ModelSource } from '../../../../src/adapters/models/model-folder.ts'
import { cutOnnx, readOnnx } from '../../../../src/adapters/models/onnx/graph.ts'
import { saturates } from '../../../../src/adapters/models/onnx/integer-products.ts'
import { loadRuntime } from '../../../../src/adapters/models/onnx/runtime.ts'
import { assemblePair, learnTemplate } from '../../../../src/adapters/models/pair-assembly.ts'
import type { Reranker } from '../../../../src/core/ports.ts'
import { sigmoid } from '../../../../src/statistics/sigmoid.ts'
import { splitSentences } from '../../../../src/text/sentences/sentences.ts'
import { HOSTILE_TEXTS } from '../../../support/hostile-texts.ts'
import { isShipped, noSignal, SHIPPED_RERANKER, TINY_CROSS_ENCODER } from '../../../support/model-folders.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { MODEL_MS } from '../../../support/timeouts.ts'

vi.setConfig({ testTimeout: MODEL_MS, hookTimeout: MODEL_MS })

const find = (model: string) => findModel({ model, variable: 'RERANK_MODEL', allowRemote: false })

/** Scores differ a little, because the range by which int8 activations are rounded is that of one text here, and of both texts in a pair. */
const MOST_APART = 0.06

if (isShipped(SHIPPED_RERANKER)) {
  describe('the shipped reranker, cut in two', () => {
    let late: LateInteractionModel
    let wholeLogit: (query: string, passage: string) => Promise<number>
    let scoreOf: (logit: number) => number
    beforeAll(async () => {
      const source: ModelSource = await find(SHIPPED_RERANKER)
      late = await loadLateInteraction(source)
      const { encode, wrap, run } = await loadModel(AutoModelForSequenceClassification, source)
      const template = learnTemplate(wrap('a', 'a'), { query: encode('a'), passage: encode('a') })
      wholeLogit = async (query, passage) => {
        const input = assemblePair(template, encode(query), encode(passage), source.maxTokens)
        const { logits } = (await run(input)) as { logits: { data: ArrayLike<number> } }
        return logitOf(logits.data)
      }
      const { temperature, bias } = source.calibration
      scoreOf = logit => sigmoid(logit / temperature + bias)
    })

    async function expectEqual(query: string, passages: readonly string[]): Promise<void> {
      const asked = late.openQuery(await late.encodeQuery(query))
      for (const passage of passages) {
        const [apart = Number.NaN] = await late.interact(asked, [await late.encodePassage(passage)])
        const distance = Math.abs(scoreOf(apart) - scoreOf(await wholeLogit(query, passage)))
        expect([passage.slice(0, 40), distance < MOST_APART]).toEqual([passage.slice(0, 40), true])
      }
    }

    it('scores cuts of real texts as the whole graph does', async () => {
      const text = readFileSync(new URL('../../../../CONTRIBUTING.md', import.meta.url), 'utf8')
      const cut = (longest: number) =>
        fc
          .tuple(fc.integer({ min: 0, max: text.length }), fc.integer({ min: 0, max: longest }))
          .map(([from, length]) => text.slice(from, from + length))
      await fc.assert(
        fc.asyncProperty(cut(500), cut(900), (query, passage) => expectEqual(query, [passage])),
        {
          numRuns: 25,
          examples: [
            [text.slice(0, 900), ''],
            ['', text.slice(0, 1_200)],
          ],
        },
      )
    })

    it('scores hostile texts as the whole graph does', async () => {
      await expectEqual('What is \ud83d rotated?', HOSTILE_TEXTS)
      const [long = '', passage = ''] = ['how is a key rotated '.repeat(60), 'Rotate the signing key with rotate-key.']
      await expectEqual(long, [passage])
    })

    it('scores a passage higher that says it in one place than one with the same sentences about each word apart', async () => {
      const filler =
        'The canteen opens at noon and closes at three. Guests sign the book at the door and get a badge for the day. '
      const said = 'Supplier invoices are paid thirty days after the delivery.'
      const apart = [
        'A supplier parks in the yard.',
        'Invoices have a number.',
        'The delivery gate is green.',
        'Staff are paid monthly.',
      ]
      const asked = late.openQuery(await late.encodeQuery('When are supplier invoices paid after a delivery?'))
      const passages = [`${filler.repeat(2)}${said} ${filler.repeat(2)}`, apart.map(one => `${one} ${filler}`).join('')]
      const [together = Number.NaN, scattered = Number.NaN] = await late.interact(
        asked,
        await Promise.all(passages.map(late.encodePassage)),
      )
      // Without the best stretches it is 2.5 more.
      expect(together).toBeGreaterThan(scattered + 10)
    })

    it('tells which sentence of a passage answers', async () => {
      const text =
        'Harbour pumps\nThe Mark VI pump lifts sea water. It was built by two brothers in Varn in 1812. It weighs nine tons. The hall is open by day.'
      const parts = splitSentences(text).map(({ start, end }) => ({ start, end }))
      for (const [query, answer] of [
        ['Who were the builders?', 2],
        ['How heavy is the pump?', 3],
        ['When can the hall be visited?', 4],
      ] as const) {
        const asked = late.openQuery(await late.encodeQuery(query))
        const matches = late.matchParts(asked, { text, side: await late.encodePassage(text) }, parts) ?? []
        expect([query, matches.indexOf(Math.max(...matches))]).toEqual([query, answer])
      }
    })

    it('gives a finite match for each sentence of hostile texts, or none for the whole passage', async () => {
      const asked = late.openQuery(await late.encodeQuery('What is \ud83d rotated?'))
      let told = 0
      for (const hostile of HOSTILE_TEXTS) {
        const text = hostile.slice(0, 6_000).toWellFormed()
        const parts = splitSentences(text).map(({ start, end }) => ({ start, end }))
        const matches = late.matchParts(asked, { text, side: await late.encodePassage(text) }, parts)
        if (matches === null) continue
        told++
        expect(matches).toHaveLength(parts.length)
        for (const match of matches) expect(Number.isFinite(match)).toBe(true)
      }
      expect(told).toBeGreaterThan(5)
    })

    it('tells nothing of a passage whose parts are behind the end of what it reads', async () => {
      const text = `${'A row of the table. '.repeat(300)}The answer is brass.`
      const read = text.slice(0, 5_120)
      const asked = late.openQuery(await late.encodeQuery('What is the answer?'))
      const side = await late.encodePassage(read)
      const parts = splitSentences(text).map(({ start, end }) => ({ start, end }))
      expect(late.matchParts(asked, { text: read, side }, parts)).toBeNull()
      expect(late.matchParts(asked, { text: read, side }, [{ start: 0, end: 20 }])).toBeNull()
    })

    it('gives a pair the same bits, whatever is scored beside it', async () => {
      const text = readFileSync(new URL('../../../../CONTRIBUTING.md', import.meta.url), 'utf8')
      const cuts = Array.from({ length: 16 }, (_, at) => text.slice(at * 300, at * 300 + 40 + at * 90))
      const sides = await Promise.all([...HOSTILE_TEXTS.slice(0, 4), '', ...cuts].map(late.encodePassage))
      for (const query of [
        'a',
        'How is a change tested?',
        'Which commands does a reader run first, and what do they need?',
      ]) {
        const asked = late.openQuery(await late.encodeQuery(query))
        const alone: number[] = []
        for (const side of sides) alone.push(...(await late.interact(asked, [side])))
        expect(alone.every(Number.isFinite)).toBe(true)
        await fc.assert(
          fc.asyncProperty(fc.array(fc.nat(sides.length - 1), { maxLength: 20 }), async places => {
            const together = await late.interact(
              asked,
              places.flatMap(at => sides[at] ?? []),
            )
            expect(together).toEqual(places.map(at => alone[at]))
          }),
          { numRuns: 30 },
        )
      }
    })

    it('gives the same bits when each token is computed for itself, and refuses a tensor by words that is not there', async () => {
      const source = await find(SHIPPED_RERANKER)
      const { late_interaction: cut } = source.settings
      const declaring = (word_match: string | undefined): ModelSource => ({
        ...source,
        settings: { ...source.settings, late_interaction: cut && { ...cut, word_match } },
      })
      expect(cut?.word_match).toBeDefined()
      const plain = await loadLateInteraction(declaring(undefined))
      const passages = [...HOSTILE_TEXTS.slice(0, 4), '', 'a a a', 'Keys rotate. Keys rotate each week, and keys stay.']
      const sides = await Promise.all(passages.map(late.encodePassage))
      for (const query of ['a', 'How often are keys rotated?']) {
        const asked = await late.encodeQuery(query)
        const logits = await late.interact(late.openQuery(asked), sides)
        expect(logits).toEqual(await plain.interact(plain.openQuery(asked), sides))
      }
      await expect(loadLateInteraction(declaring('/nowhere'))).rejects.toThrow('there is no tensor named /nowhere')
    })

    it('gives the same bits for the side of a passage that was read again', async () => {
      const asked = late.openQuery(await late.encodeQuery('How often are keys rotated?'))
      const [first, again] = [await late.encodePassage('Keys rotate.'), await late.encodePassage('Keys rotate.')]
      expect(Buffer.from(again).equals(Buffer.from(first))).toBe(true)
      expect(await late.interact(asked, [again])).toEqual(await late.interact(asked, [first]))
    })
  })
}

describe('cutting a graph', () => {
  const graph = readOnnx(readFileSync(join(TINY_CROSS_ENCODER, 'onnx/model_quantized.onnx')))
  const inputs = [...graph.inputs.keys()]

  it('leaves a smaller graph that is read again', () => {
    const [middle = ''] = graph.nodes[Math.floor(graph.nodes.length / 2)]?.outputs ?? []
    const part = readOnnx(cutOnnx(graph, inputs, [middle]))
    expect(part.nodes.length).toBeGreaterThan(0)
    expect(part.nodes.length).toBeLessThan(graph.nodes.length)
    expect([...part.inputs.keys()]).toEqual(inputs)
    const whole = readOnnx(cutOnnx(graph, inputs, ['logits']))
    expect(whole.nodes.every(({ bytes }) => graph.nodes.some(node => Buffer.from(node.bytes).equals(bytes)))).toBe(true)
  })

  it('refuses tensors that do not exist, and cuts that leave out an input', () => {
    expect(() => cutOnnx(graph, ['/nowhere'], ['logits'])).toThrow('there is no tensor named /nowhere')
    expect(() => cutOnnx(graph, inputs, ['/nowhere'])).toThrow('there is no tensor named /nowhere')
    expect(() => cutOnnx(graph, inputs.slice(0, 1), ['logits'])).toThrow(/the cut leaves out the input \w+/u)
    expect(() => readOnnx(Buffer.from('x'.repeat(100)))).toThrow()
  })
})

describe('a model folder that declares no cut, or a wrong one', () => {
  const PASSAGES = ['rotate the key', 'a cache of answers', '']
  const opened: Reranker[] = []
  let folder: string
  beforeAll(() => {
    folder = temporaryFolder('stowage-cut')
    cpSync(TINY_CROSS_ENCODER, folder, { recursive: true })
    const settings = JSON.parse(readFileSync(join(folder, 'stowage.json'), 'utf8'))
    const declared = { late_interaction: { query: ['/no/such/tensor'], passage: ['input_ids'] } }
    writeFileSync(join(folder, 'stowage.json'), JSON.stringify({ ...settings, ...declared }))
  })
  afterAll(async () => {
    await Promise.all(opened.map(reranker => reranker.close()))
  })

  it('is scored pair by pair, and a wrong one is named', async () => {
    const warnings: string[] = []
    const answers: unknown[] = []
    for (const model of [TINY_CROSS_ENCODER, folder]) {
      const reranker = await createCrossEncoder({ model, workers: 1, onWarning: warning => warnings.push(warning) })
      opened.push(reranker)
      answers.push(await reranker.rerank({ query: 'rotate', passages: PASSAGES, signal: noSignal() }))
    }
    expect(answers[1]).toEqual(answers[0])
    const ofTheCut = warnings.filter(warning => warning.includes('late_interaction'))
    expect(ofTheCut).toHaveLength(1)
    expect(ofTheCut[0]).toMatch(/RERANK_MODEL: .*stowage\.json.*there is no tensor named \/no\/such\/tensor/u)
    // Its weights are int8.
    const wrongHere = (await saturates(loadRuntime())) ? 2 : 0
    expect(warnings.filter(warning => warning.includes('can be wrong here'))).toHaveLength(wrongHere)
  })
})
