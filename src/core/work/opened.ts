/** What was opened so far. It is closed at the end, and when something that comes after it cannot be opened. */
export interface Opened {
  /** Remembers something that must be closed, and gives it back. */
  keep<Value extends { close(): unknown } | null>(value: Value): Value
  /** Closes everything, the last one first. What cannot be closed does not keep the others open. @throws the first fault, after all */
  close(): Promise<void>
}

/** Opens what belongs together. When a later part cannot be opened, the earlier ones are closed. */
export async function openTogether<Result>(open: (opened: Opened) => Promise<Result>): Promise<Result> {
  const opened = createOpened()
  try {
    return await open(opened)
  } catch (error) {
    await opened.close()
    throw error
  }
}

export function createOpened(): Opened {
  const values: { close(): unknown }[] = []
  return {
    keep(value) {
      if (value !== null) values.push(value)
      return value
    },
    async close() {
      const faults: unknown[] = []
      for (const value of values.splice(0).reverse()) {
        try {
          await value.close()
        } catch (error) {
          faults.push(error)
        }
      }
      if (faults.length > 0) throw faults[0]
    },
  }
}
