import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { type Carrier, createLine } from '../../src/cluster/line.ts'
import { createPeers, forward } from '../../src/cluster/peers.ts'

/** Two ends of a channel that clones what it carries, as that between processes does. */
function createChannel() {
  const [one, other] = [new EventEmitter(), new EventEmitter()]
  const carry = (from: EventEmitter, to: EventEmitter): Carrier =>
    Object.assign(from, {
      send(message: object, done?: (error: null) => void) {
        const copy = structuredClone(message)
        setImmediate(() => {
          done?.(null)
          to.emit('message', copy)
        })
        return true
      },
    })
  return { lines: [createLine(carry(one, other)), createLine(carry(other, one))] as const, ends: [one, other] as const }
}

const lookUp = { scopes: ['open'], vector: [1, 2] }
const UNKNOWN = { text: null, result: 'unknown' } as const

it('gives each question its own answer, whatever their order', async () => {
  const { lines } = createChannel()
  lines[1].on('vectorQuestion', async ({ vector }) => {
    await new Promise(resolve => setTimeout(resolve, 5 - (vector[0] ?? 0)))
    return { text: String(vector[0]), result: 'exact' }
  })
  const asked = [0, 1, 2, 3, 4].map(at => lines[0].ask('vectorQuestion', { scopes: [], vector: [at] }, 1_000))
  expect((await Promise.all(asked)).map(({ text }) => text)).toEqual(['0', '1', '2', '3', '4'])
})

it('rejects when nobody answers, when the answer is an error, when it is late, and when the other end is gone', async () => {
  const { lines, ends } = createChannel()
  await expect(lines[0].ask('vectorQuestion', lookUp, 1_000)).rejects.toThrow('nobody answers vectorQuestion')
  lines[1].on('vectorQuestion', () => {
    throw new Error('broken')
  })
  await expect(lines[0].ask('vectorQuestion', lookUp, 1_000)).rejects.toThrow('broken')
  lines[1].on('vectorQuestion', () => new Promise(() => {}))
  await expect(lines[0].ask('vectorQuestion', lookUp, 1)).rejects.toThrow('no answer to vectorQuestion within 1 ms')
  const waiting = lines[0].ask('vectorQuestion', lookUp, 60_000)
  ends[0].emit('disconnect')
  await expect(waiting).rejects.toThrow('the other process is gone')
  await expect(lines[0].ask('vectorQuestion', lookUp, 60_000)).rejects.toThrow('does not listen')
})

it('keeps the latest of what it is told until somebody listens, and passes by what is no message of stowage', async () => {
  const { lines, ends } = createChannel()
  for (const message of [null, 7, 'x', {}, { cmd: 'NODE_CLUSTER' }]) ends[1].emit('message', message)
  lines[0].tell('firstAddress', 'http://127.0.0.1:1')
  lines[0].tell('firstAddress', 'http://127.0.0.1:2')
  await new Promise(resolve => setTimeout(resolve, 5))
  const heard: (string | null)[] = []
  lines[1].on('firstAddress', address => {
    heard.push(address)
  })
  expect(heard).toEqual(['http://127.0.0.1:2'])
})

it('does not keep messages without a limit for an end that does not read', async () => {
  let sent = 0
  const stuck = Object.assign(new EventEmitter(), {
    send: () => {
      sent++
      return false
    },
  })
  const line = createLine(stuck)
  for (let i = 0; i < 20_000; i++) line.tell('written', 'docs')
  expect(sent).toBe(5_000)
  await expect(line.ask('trace', { traceId: 't', owner: { tenant: null, apiKey: null } }, 60_000)).rejects.toThrow(
    'does not listen',
  )
})

it('brings questions to the other workers, and leaves out those that do not answer', async () => {
  const asker = createChannel()
  const others = [createChannel(), createChannel(), createChannel()]
  asker.lines[1].on('forward', message =>
    forward(
      message,
      others.map(({ lines }) => lines[0]),
    ),
  )
  others[0]?.lines[1].on('vectorQuestion', () => UNKNOWN)
  others[1]?.lines[1].on('vectorQuestion', () => new Promise(() => {}))
  others[2]?.lines[1].on('vectorQuestion', ({ vector }) => ({ text: `found ${vector.join()}`, result: 'exact' }))
  const peers = createPeers(asker.lines[0])
  expect(await peers.ask('vectorQuestion', lookUp, 1_000)).toEqual([UNKNOWN, { text: 'found 1,2', result: 'exact' }])
  asker.ends[0].emit('disconnect')
  expect(await peers.ask('vectorQuestion', lookUp, 20)).toEqual([])
})
