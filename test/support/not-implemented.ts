/** A port that fails loudly when a test did not expect it to be used. */
export function notImplemented(name: string): () => never {
  return () => {
    throw new Error(`${name} was not expected to be called`)
  }
}
