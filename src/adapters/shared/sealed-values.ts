import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, deflateRaw, inflateRaw } from 'node:zlib'

/** Turns texts into bytes that a shared store keeps, and back. */
export interface SealedValues {
  /** A name that says nothing about the text. With a secret, nobody without it can find out by trying texts. */
  digest(text: string): string
  /** @param key the bytes are of this key: under another one they cannot be opened */
  seal(text: string, key: string): Promise<Buffer>
  /** @throws Error for bytes that are damaged, of another key, of another secret, or of another format */
  open(bytes: Uint8Array, key: string): Promise<string>
}

/** Shorter texts are not compressed: it would take longer than sending them. In bytes. */
const COMPRESSED_FROM = 1_024
/** In bytes. Small input can become large. */
const LARGEST_TEXT = 4 * 1024 * 1024
const PLAIN = Buffer.from([0])
const COMPRESSED = Buffer.from([1])
const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

const compress = promisify(deflateRaw)
const decompress = promisify(inflateRaw)

/** @param secret of `REDIS_ENCRYPTION_KEY`; null: values are compressed only */
export function createSealedValues(secret: Buffer | null): SealedValues {
  const derived = (use: string) => Buffer.from(hkdfSync('sha256', secret ?? 'stowage', '', `stowage ${use}`, 32))
  const [names, values] = [derived('names'), secret && derived('values')]
  return {
    digest: text => createHmac('sha256', names).update(text).digest('base64url'),
    async seal(text, key) {
      const bytes = Buffer.from(text)
      const packed =
        bytes.byteLength < COMPRESSED_FROM
          ? Buffer.concat([PLAIN, bytes])
          : Buffer.concat([COMPRESSED, await compress(bytes, { level: constants.Z_BEST_SPEED })])
      return values === null ? packed : encrypted(packed, key, values)
    },
    async open(bytes, key) {
      const packed = values === null ? Buffer.from(bytes) : decrypted(Buffer.from(bytes), key, values)
      const [marker, content] = [packed[0], packed.subarray(1)]
      if (marker === PLAIN[0]) return content.toString()
      if (marker !== COMPRESSED[0]) throw new Error('the value has another format')
      return (await decompress(content, { maxOutputLength: LARGEST_TEXT })).toString()
    },
  }
}

function encrypted(plain: Buffer, key: string, secret: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, secret, nonce).setAAD(Buffer.from(key))
  const content = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), content])
}

function decrypted(bytes: Buffer, key: string, secret: Buffer): Buffer {
  const [nonce, tag] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)]
  const decipher = createDecipheriv(CIPHER, secret, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(key))
  decipher.setAuthTag(tag)
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
}
