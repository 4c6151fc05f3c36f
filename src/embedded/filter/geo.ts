import { formatError, validationError } from '../errors.ts'
import { isRecord, type JsonRecord, readList, readNumber, readRecord, toNumber } from '../wire/shape.ts'

/** Degrees. */
interface GeoPoint {
  lon: number
  lat: number
}

type GeoTest = (point: GeoPoint) => boolean

/** Mean radius of the earth in metres, as Qdrant's geometry library has it. */
const EARTH_RADIUS = 6_371_008.8

const COMPILERS: { readonly [kind: string]: (condition: JsonRecord) => GeoTest } = {
  geo_radius: compileRadius,
  geo_bounding_box: compileBox,
  geo_polygon: compilePolygon,
}
export const GEO_CONDITIONS = Object.keys(COMPILERS)

/** Tests a payload value of the form `{lon, lat}`. @throws EngineError 400/422 on a malformed condition */
export function compileGeo(kind: string, condition: unknown): (value: unknown) => boolean {
  const test = COMPILERS[kind]?.(readRecord(condition, kind)) ?? (() => false)
  return value => {
    if (!isRecord(value)) return false
    const [lon, lat] = [toNumber(value.lon), toNumber(value.lat)]
    return lon !== undefined && lat !== undefined && test({ lon, lat })
  }
}

/** Nearer than the radius in metres, on a sphere. */
function compileRadius({ center, radius }: JsonRecord): GeoTest {
  const middle = readGeoPoint(center, 'center')
  const metres = readNumber(radius, 'radius')
  if (metres === undefined) throw formatError('missing field `radius`')
  return point => haversine(middle, point) < metres
}

/** Inside the box and not on its sides. A box whose left is east of its right goes over the date line. */
function compileBox({ top_left, bottom_right }: JsonRecord): GeoTest {
  const from = readGeoPoint(top_left, 'top_left')
  const to = readGeoPoint(bottom_right, 'bottom_right')
  const overDateLine = from.lon > to.lon
  return ({ lon, lat }) =>
    lat < from.lat && lat > to.lat && (overDateLine ? lon > from.lon || lon < to.lon : lon > from.lon && lon < to.lon)
}

/** Inside the exterior ring, outside the interior rings, and on none of them. */
function compilePolygon({ exterior, interiors }: JsonRecord): GeoTest {
  const outer = readRing(exterior, 'exterior')
  const holes = readList(interiors ?? [], 'interiors').map(ring => readRing(ring, 'interiors'))
  return point => placeIn(outer, point) === 'inside' && holes.every(hole => placeIn(hole, point) === 'outside')
}

function readGeoPoint(value: unknown, field: string): GeoPoint {
  const given = readRecord(value, field)
  const [lon, lat] = [readNumber(given.lon, 'lon'), readNumber(given.lat, 'lat')]
  if (lon === undefined) throw formatError('missing field `lon`')
  if (lat === undefined) throw formatError('missing field `lat`')
  if (Math.abs(lat) > 90 || Math.abs(lon) > 180) {
    throw formatError(
      `Wrong format of GeoPoint payload: expected \`lat\` = ${lat} within [-90;90] and \`lon\` = ${lon} within [-180;180]`,
    )
  }
  return { lon, lat }
}

function readRing(value: unknown, field: string): GeoPoint[] {
  const points = readList(readRecord(value, field).points, `${field}.points`).map(point => readGeoPoint(point, field))
  const [first, last] = [points[0], points.at(-1)]
  if (points.length < 4) throw validationError(`geo_polygon.${field}: polygon invalid, the size must be at least 4`)
  if (first?.lon !== last?.lon || first?.lat !== last?.lat) {
    throw validationError(
      `geo_polygon.${field}: polygon invalid, the first and the last points should be the same to form a closed line`,
    )
  }
  return points
}

/** Metres between two points. */
function haversine(left: GeoPoint, right: GeoPoint): number {
  const [from, to] = [radians(left.lat), radians(right.lat)]
  const sine = Math.sin((to - from) / 2) ** 2
  const share = sine + Math.cos(from) * Math.cos(to) * Math.sin(radians(right.lon - left.lon) / 2) ** 2
  return 2 * EARTH_RADIUS * Math.asin(Math.sqrt(Math.min(1, share)))
}

const radians = (degrees: number) => (degrees * Math.PI) / 180

/** Counts the sides that a ray to the east crosses. Longitude and latitude are taken as plane coordinates, as Qdrant does. */
function placeIn(ring: readonly GeoPoint[], { lon, lat }: GeoPoint): 'inside' | 'outside' | 'side' {
  let crossings = 0
  for (let i = 1; i < ring.length; i++) {
    const a = ring[i - 1] as GeoPoint
    const b = ring[i] as GeoPoint
    const turn = (b.lon - a.lon) * (lat - a.lat) - (b.lat - a.lat) * (lon - a.lon)
    const isBetween = (lon - a.lon) * (lon - b.lon) <= 0 && (lat - a.lat) * (lat - b.lat) <= 0
    if (turn === 0 && isBetween) return 'side'
    if (a.lat > lat === b.lat > lat) continue
    if (turn > 0 === b.lat > a.lat) crossings++
  }
  return crossings % 2 === 1 ? 'inside' : 'outside'
}
