import { expect, it } from 'vitest'
import { isMonospacedFont } from '../../../src/ingest/documents/monospaced.ts'

it.each([
  'CMTT10',
  'NEFFVU+t1xtt',
  'ABCDEF+t1xbtt',
  'cmtti10',
  'ectt1000',
  'BCDEFG+TeXGyreCursor-Regular',
  'DejaVuSansMono',
])('knows by its name that %s is monospaced', name => expect(isMonospacedFont(name)).toBe(true))

it.each(['cmvtt10', 'Garamontt', 'ABCDEF+Matt-Bold', 'cmr10', 'TeXGyreTermes-Regular', 'MonotypeCorsiva'])(
  'knows by its name that %s is not monospaced',
  name => expect(isMonospacedFont(name)).toBe(false),
)
