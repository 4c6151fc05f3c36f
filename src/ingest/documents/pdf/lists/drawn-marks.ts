import { groupBy } from '../../../../core/collections.ts'
import type { PdfPage } from '../open-pdf.ts'
import type { Segment } from '../page-text.ts'
import { type Matrix, multiply } from '../segments.ts'

/** A small filled or stroked shape, in points from the top left of the page. */
interface Shape {
  x0: number
  x1: number
  /** Its middle. */
  y: number
}

/** Height of a mark, and its distance from the text, as shares of the font size. */
const LEAST_HEIGHT = 0.15
const MOST_HEIGHT = 0.6
const MOST_GAP = 1.2
/** The middle of a mark stands this far above the baseline, as shares of the font size. */
const LOWEST = 0.1
const HIGHEST = 0.6
/** Width and height of a mark differ at most by this share. */
const SQUARE = 0.2
/** In points: larger shapes are no marks of text. */
const MOST_SIZE = 20
/** A page with more such shapes is a drawing. */
const MOST_SHAPES = 1_000
/** Height in points of the stripes by which shapes are looked up. */
const STRIPE = 10
const MARK = '\u2022'

/** The small circles and squares that a page draws; none when it has more than a list would, or when its drawing commands cannot be read. */
export async function readShapes(page: PdfPage): Promise<Shape[]> {
  const { getResolvedPDFJS } = await import('unpdf')
  const { OPS } = await getResolvedPDFJS()
  const commands = await page.getOperatorList().catch(() => null)
  if (commands === null) return []
  const { fnArray, argsArray } = commands
  const painting = new Set<unknown>([OPS.fill, OPS.eoFill, OPS.stroke, OPS.fillStroke])
  const outer: Matrix[] = []
  let matrix = page.getViewport({ scale: 1 }).transform as Matrix
  const shapes: Shape[] = []
  for (const [at, operator] of fnArray.entries()) {
    if (operator === OPS.save) outer.push(matrix)
    else if (operator === OPS.restore) matrix = outer.pop() ?? matrix
    else if (operator === OPS.transform) matrix = multiply(matrix, argsArray[at])
    else if (operator === OPS.constructPath) {
      const [paint, , bounds] = argsArray[at] as [unknown, unknown, ArrayLike<number> | null]
      const shape = bounds && painting.has(paint) ? shapeOf(bounds, matrix) : null
      if (shape) shapes.push(shape)
      if (shapes.length > MOST_SHAPES) return []
    }
  }
  return shapes
}

/** Null when the bounds of a path are no small square. */
function shapeOf(bounds: ArrayLike<number>, matrix: Matrix): Shape | null {
  const [left = 0, top = 0, right = 0, bottom = 0] = Array.from(bounds)
  const [, , , , x0, y0] = multiply(matrix, [1, 0, 0, 1, left, top])
  const [, , , , x1, y1] = multiply(matrix, [1, 0, 0, 1, right, bottom])
  const [width, height] = [Math.abs(x1 - x0), Math.abs(y1 - y0)]
  if (!(height > 0 && height <= MOST_SIZE && Math.abs(width - height) <= SQUARE * height)) return null
  return { x0: Math.min(x0, x1), x1: Math.max(x0, x1), y: (y0 + y1) / 2 }
}

/** The segments, with a bullet in front of those that have a shape right at their left, as browsers draw the marks of lists. */
export function withDrawnMarks(segments: readonly Segment[], shapes: readonly Shape[]): Segment[] {
  const stripes = groupBy(shapes, ({ y }) => Math.floor(y / STRIPE))
  return segments.flatMap(segment => {
    // Larger letters would have larger marks.
    if (segment.size > MOST_SIZE / LEAST_HEIGHT) return [segment]
    const [top, bottom] = [segment.y - HIGHEST * segment.size, segment.y - LOWEST * segment.size]
    for (let stripe = Math.floor(top / STRIPE); stripe <= Math.floor(bottom / STRIPE); stripe += 1) {
      const mark = stripes.get(stripe)?.find(shape => shape.y >= top && shape.y <= bottom && isMarkOf(shape, segment))
      if (mark) return [{ ...segment, text: MARK, x0: mark.x0, x1: mark.x1, isMonospaced: false }, segment]
    }
    return [segment]
  })
}

function isMarkOf({ x0, x1 }: Shape, segment: Segment): boolean {
  const [size, gap] = [(x1 - x0) / segment.size, (segment.x0 - x1) / segment.size]
  return size >= LEAST_HEIGHT && size <= MOST_HEIGHT && gap > 0 && gap <= MOST_GAP
}
