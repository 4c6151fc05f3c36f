import { describe, expect, it } from 'vitest'
import { readHtml } from '../../../src/ingest/documents/html/read-html.ts'

const MORE_THAN_ALLOWED = 2_100
const many = (html: string) => html.repeat(MORE_THAN_ALLOWED)
const read = (html: string) => readHtml(Buffer.from(`<p>Ropes hold.</p>${html}`))

describe('a page with many elements that a slash closes', () => {
  it.each([
    ['drawings', many('<svg><path d="M0 0"/></svg>')],
    ['one drawing', `<svg viewBox="0 0 1 1">${many('<path />')}</svg>`],
    ['a drawing with a name for each part', `<svg>${many('<g><title>a</title><desc>b</desc><path/></g>')}</svg>`],
    ['a drawing that is one tag', many('<svg/>')],
    ['a drawing with a style sheet', `<svg><style><![CDATA[ g > <path ]]></style>${many('<path/>')}</svg>`],
    ['an attribute with a tag', `<svg><g data-tip="</svg><b>">${many('<path/>')}</g></svg>`],
    ['a drawing that the text ends', many('<svg><path/><p>')],
  ])('is read: %s', (_, drawing) => {
    expect(read(drawing)).toMatchObject({ text: 'Ropes hold.\n' })
  })

  it('is read when it is a formula', () => {
    expect(read(`<math>${many('<mi>a</mi><mspace width="1em"/>')}</math>`)).toHaveProperty('text')
  })
})

it.each([
  ['elements of HTML', many('<div>')],
  ['elements of HTML, which a slash does not close', many('<div/>')],
  ['unknown elements', many('<path/>')],
  ['open elements of SVG', `<svg>${many('<g>')}`],
  ['unknown elements behind the end of a drawing', `<div><svg><g></div>${many('<path/>')}`],
  ['unknown elements behind HTML that ends a drawing', `<svg><g><b></b>${many('<path/>')}`],
  ['unknown elements in HTML inside of a drawing', `<svg><foreignObject><i></i>${many('<path/>')}`],
  ['unknown elements behind a drawing in a comment', `<!-- <svg> -->${many('<path/>')}`],
  ['unknown elements behind a drawing in a script', `<script>"<svg>"</script>${many('<path/>')}`],
  ['unknown elements behind a drawing in an attribute', `<p title="<svg>">${many('<path/>')}`],
  ['a value that ends with a slash', `<svg>${many('<g id=a/>')}`],
])('a page that is nested deeply is refused: %s', (_, html) => {
  expect(read(html)).toMatchObject({ fault: 'too large', reason: 'is nested deeper than 2000 elements' })
})

it('reads tags with millions of attributes, and marks that nothing closes', () => {
  for (const part of ['<a b="', '<a b=\'"', '<a b ', 'b="c" ', '<!--', '<svg><![CDATA[', '<script>', '<!a', '<']) {
    expect(readHtml(Buffer.from(`<p>Ropes</p><a ${part.repeat(200_000)}`))).toHaveProperty('text')
  }
})
