import { createClient, defineScript, RESP_TYPES } from '@redis/client'
import { messageOf } from '../../core/errors.ts'
import type { SharedStore } from '../../core/shared-store.ts'

interface RedisStoreOptions {
  /** `redis(s)://[[user]:password@]host[:port][/database]`. */
  url: string
  /** Stands before every key. */
  prefix: string
}

interface RedisStore extends SharedStore {
  /** Resolves when the first attempt to connect has ended, or after some milliseconds. Never rejects. */
  attempted(longestMs: number): Promise<void>
}

/** How often the connection is checked, in milliseconds. One that does not answer for so long, or is that of a replica, is replaced. */
const CHECK_MS = 2_000
const CONNECT_MS = 2_000
/** Longest pause between two attempts to connect, in milliseconds. */
const LONGEST_PAUSE_MS = 2_000
/** Commands that wait for their answers. Beyond it, further ones are refused at once. */
const MOST_WAITING = 4_000

/**
 * The bucket is a text, `tokens milliseconds`. MGET and SET get on with a value of any type, so what another program left under the key is
 * a full bucket. The clock is that of the server.
 */
const TAKE_TOKEN = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local rate, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local tokens, at = string.match(redis.call('MGET', KEYS[1])[1] or '', '^(%S+) (%S+)$')
tokens, at = tonumber(tokens) or burst, tonumber(at) or now
tokens = math.min(burst, tokens + math.max(0, now - at) * rate / 1000)
local wait = 0
if tokens >= 1 then tokens = tokens - 1 else wait = math.ceil((1 - tokens) * 1000 / rate) end
redis.call('SET', KEYS[1], string.format('%.6f %.3f', tokens, now), 'PX', math.ceil(burst * 1000 / rate) + 1000)
return wait`

const takeToken = defineScript({
  SCRIPT: TAKE_TOKEN,
  NUMBER_OF_KEYS: 1,
  parseCommand(parser, key: string, perSecond: number, burst: number) {
    parser.pushKey(key)
    parser.push(String(perSecond), String(burst))
  },
  transformReply: (reply: number) => reply,
})

/** A shared store in Redis or Valkey. It connects by itself, again and again, and refuses at once while there is no connection. */
export function createRedisStore({ url, prefix }: RedisStoreOptions): RedisStore {
  let connection = connect(url, new Error('there is no connection yet'))
  const timer = setInterval(() => {
    if (connection.isStuck()) {
      connection.end()
      connection = connect(url, connection.fault())
    } else connection.ask()
  }, CHECK_MS)
  timer.unref()

  return {
    getMany: async keys => {
      if (keys.length === 0) return []
      return (await connection.ready().mGet(keys.map(key => prefix + key))) as (Buffer | null)[]
    },
    async setMany(entries) {
      await connection.write(client =>
        Promise.all(
          entries.map(({ key, value, ttlMs }) =>
            client.set(prefix + key, Buffer.from(value.buffer, value.byteOffset, value.byteLength), {
              expiration: { type: 'PX', value: ttlMs },
            }),
          ),
        ),
      )
    },
    async deleteMany(keys) {
      if (keys.length > 0) await connection.write(client => client.unlink(keys.map(key => prefix + key)))
    },
    takeToken: async (key, { perSecond, burst }) =>
      Number(await connection.write(client => client.takeToken(prefix + key, perSecond, burst))),
    attempted: longestMs => connection.attempted(longestMs),
    async close() {
      clearInterval(timer)
      connection.end()
    },
  }
}

/**
 * One client of the library, which reconnects after errors. A server that is silent is no error for it: see `isStuck`.
 * @param former why there is no connection, until there is another reason
 */
function connect(url: string, former: Error) {
  let fault = former
  /** Checks in a row without an answer of the server. */
  let unanswered = 0
  let isAsking = false
  /** Another server has taken its place since: the address may lead there by now, and this connection never will. */
  let isReplica = false
  const client = createClient({
    url,
    // What proxies and all versions of Redis and Valkey speak.
    RESP: 2,
    disableOfflineQueue: true,
    commandsQueueMaxLength: MOST_WAITING,
    scripts: { takeToken },
    socket: {
      connectTimeout: CONNECT_MS,
      reconnectStrategy: retries => Math.min(LONGEST_PAUSE_MS, 50 * 2 ** Math.min(retries, 10)),
    },
  }).withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer })
  const noteFault = (error: Error) => {
    fault = error
  }
  client.on('error', noteFault)
  client.connect().catch(noteFault)
  const answered = () => {
    unanswered = 0
    isAsking = false
  }
  /** @throws Error with the last fault when there is no connection */
  function ready(): typeof client {
    if (!client.isReady) throw fault
    return client
  }
  return {
    ready,
    /** As `ready`, for what changes something. */
    write<Result>(work: (ready: typeof client) => Promise<Result>): Promise<Result> {
      return work(ready()).catch(error => {
        isReplica ||= /^READONLY /u.test(messageOf(error))
        throw error
      })
    },
    /** Asks for a sign of life. */
    ask(): void {
      if (!client.isReady || isAsking) return
      isAsking = true
      client.ping().then(answered, answered)
    },
    /** Whether it is of no more use: nothing came since the check before, no answer or no end of the attempt to connect; or see `isReplica`. */
    isStuck(): boolean {
      if (client.isReady && !isAsking) unanswered = 0
      else unanswered++
      return isReplica || unanswered > 1
    },
    fault: () => (client.isReady ? new Error('the server does not answer') : fault),
    /** Resolves when the first attempt has ended, or after some milliseconds. */
    attempted(longestMs: number): Promise<void> {
      return new Promise(resolve => {
        const timer = setTimeout(resolve, longestMs)
        const end = () => {
          clearTimeout(timer)
          resolve()
        }
        client.once('ready', end).once('error', end)
        if (client.isReady) end()
      })
    },
    end(): void {
      if (client.isOpen) client.destroy()
    },
  }
}
