/** A failed request: the HTTP status and the error text of Qdrant's envelope. */
export class EngineError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'EngineError'
    this.status = status
  }
}

export const wrongInput = (detail: string) => new EngineError(400, `Wrong input: ${detail}`)
export const badRequest = (detail: string) => new EngineError(400, `Bad request: ${detail}`)
export const formatError = (detail: string) => new EngineError(400, `Format error in JSON body: ${detail}`)
export const validationError = (detail: string) => new EngineError(422, `Validation error in JSON body: [${detail}]`)
export const notFound = (detail: string) => new EngineError(404, `Not found: ${detail}`)
export const unknownVector = (name: string) => wrongInput(`Not existing vector name error: ${name}`)
export const unknownPoint = (id: unknown) => notFound(`No point with id ${id} found`)

/** A part of Qdrant's API that this engine does not have. */
export const unsupported = (what: string) =>
  new EngineError(
    501,
    `Not implemented in stowage's embedded engine: ${what}. Set QDRANT_URL to a Qdrant server to use it.`,
  )

/** @throws EngineError 501 when one of the fields is set. */
export function refuseFields(given: { [field: string]: unknown }, fields: readonly string[], where: string): void {
  const found = fields.find(field => given[field])
  if (found !== undefined) throw unsupported(`${where} \`${found}\``)
}
