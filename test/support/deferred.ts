/** A promise with its resolve function beside it. */
export function deferred<Value>(): { promise: Promise<Value>; resolve: (value: Value) => void } {
  let resolve: (value: Value) => void = () => {}
  const promise = new Promise<Value>(done => {
    resolve = done
  })
  return { promise, resolve }
}
