import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { html } from '../../src/http/description/html.ts'
import { OWN_ROUTES } from '../../src/http/description/own-routes.ts'
import { createStage } from '../support/stage.ts'

const stage = createStage()
afterEach(() => stage.close())

describe('GET /v1/docs', () => {
  it('shows every route and every code of an error, loads nothing, and links only to what is there', async () => {
    const { url } = await stage.serve()
    const response = await fetch(`${url}/v1/docs`)
    const page = await response.text()
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/u)
    for (const route of Object.keys(OWN_ROUTES)) expect(page).toContain(`>${route}</a>`)
    expect(page).toContain('<code>collection_not_found</code>')
    expect(page).not.toMatch(/<script|<link|<img|style=|undefined|\[object/u)
    const ids = [...page.matchAll(/ id="([^"]+)"/gu)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const linked = [...page.matchAll(/href="#([^"]+)"/gu)].map(([, id]) => id)
    expect(linked.filter(id => !ids.includes(id))).toEqual([])
    const others = [...page.matchAll(/href="([^#"][^"]*)"/gu)].map(([, href]) => href)
    expect(others).toEqual(['/v1/openapi.json'])
    expect((await fetch(`${url}/v1/docs`, { method: 'HEAD' })).status).toBe(200)
  })

  it('escapes whatever is put into it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        const { markup } = html`<a title="${text}">${html`<b>${text}</b>`}</a>`
        const decoded = markup.replace(/&#(\d+);/gu, (_whole, code) => String.fromCharCode(Number(code)))
        expect(decoded).toBe(`<a title="${text}"><b>${text}</b></a>`)
        expect(markup.match(/[<>"']/gu)?.join('')).toBe('<""><><><>')
      }),
    )
  })
})
