import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ModelSource, WEIGHTS } from '../../model-folder.ts'

/** Change when sides have other contents or another form. */
const FORM = 2

/** 16 hexadecimal digits that differ when sides of one text may: another model or cut, another kind of processor. */
export async function modelKeyOf({ location, dtype }: ModelSource): Promise<string> {
  const hash = createHash('sha256').update(`${FORM} ${process.arch}`)
  for (const name of [join('onnx', WEIGHTS[dtype]), 'tokenizer.json', 'stowage.json']) {
    hash.update(await readFile(join(location, name)))
  }
  return hash.digest('hex').slice(0, 16)
}
