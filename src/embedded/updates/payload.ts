import { unknownPoint } from '../errors.ts'
import { mergedAt, parsePath, without } from '../filter/payload-path.ts'
import type { Point } from '../storage/collection.ts'
import { type JsonRecord, readList, readRecord, readString } from '../wire/shape.ts'
import { changeEach, type Update } from './checked-update.ts'
import { selectPoints } from './selection.ts'

export const setPayload = changePayload(body => {
  const patch = readRecord(body.payload, 'payload')
  const path = (body.key ?? null) === null ? [] : parsePath(readString(body.key, 'key'))
  return payload => mergedAt(payload, path, patch)
})

export const overwritePayload = changePayload(body => {
  const payload = readRecord(body.payload, 'payload')
  return () => payload
})

export const deletePayload = changePayload(body => {
  const paths = readList(body.keys, 'keys').map(key => parsePath(readString(key, 'keys')))
  return payload => without(payload, paths)
})

export const clearPayload = changePayload(() => () => ({}))

/** Builds a write from how it reads its body and what it then makes of a payload. */
function changePayload(read: (body: JsonRecord) => (payload: JsonRecord) => JsonRecord): Update {
  return async (collection, body, version, pace) => {
    const change = read(body)
    const points = await selectPoints(collection, body, pace, unknownPoint)
    const changed: Point[] = []
    for (const { id, payload } of points) {
      if (pace.isDue()) await pace.rest()
      changed.push({ id, payload: change(payload), version })
    }
    return changeEach(changed, body, point => collection.putPayload(point))
  }
}
