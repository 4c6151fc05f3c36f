import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { endpointAllowed } from '../../src/tenants/context-endpoints.ts'
import { readTenantsFile } from '../../src/tenants/file/read.ts'

const allowing = (...contextEndpoints: string[]) => ({ contextEndpoints })

describe('the endpoints that a tenant allows', () => {
  it.each([
    ['https://api.openai.com/v1', 'https://api.openai.com/v1'],
    ['https://api.openai.com/v1', 'https://API.OpenAI.com:443/v1/'],
    ['https://api.openai.com', 'https://api.openai.com/v1'],
    ['https://api.openai.com/', 'https://api.openai.com'],
    ['http://10.0.0.1:8000/models/', 'http://10.0.0.1:8000/models/a/v1'],
  ])('%s: %s', (allowed, endpoint) => {
    expect(endpointAllowed(allowing('https://other.example', allowed), endpoint)).toBe(true)
  })

  it.each([
    ['https://api.openai.com/v1', 'https://api.openai.com/v10'],
    ['https://api.openai.com/v1', 'https://api.openai.com/'],
    ['https://api.openai.com/v1', 'https://api.openai.com/v1/../v2'],
    ['https://api.openai.com/v1', 'https://api.openai.com/v1/%2e%2e/v2'],
    ['https://api.openai.com/v1', 'http://api.openai.com/v1'],
    ['https://api.openai.com/v1', 'https://api.openai.com:8443/v1'],
    ['https://api.openai.com/v1', 'https://api.openai.com.evil.example/v1'],
    ['https://api.openai.com', 'https://api.openai.com@evil.example/'],
    ['https://api.openai.com', 'https://user:secret@api.openai.com/'],
    ['https://api.openai.com', 'nonsense'],
    ['file:///etc', 'file:///etc/passwd'],
  ])('%s: not %s', (allowed, endpoint) => {
    expect(endpointAllowed(allowing(allowed), endpoint)).toBe(false)
  })

  it('are none without the field, but what stays on this machine needs none', () => {
    expect(endpointAllowed({}, 'https://api.openai.com/v1')).toBe(false)
    expect(endpointAllowed(allowing(), 'https://api.openai.com/v1')).toBe(false)
    expect(endpointAllowed({}, null)).toBe(true)
  })

  it('are those with the same origin and the same first segments of the path', () => {
    const host = fc.constantFrom('a.example', 'A.example', 'a.example:443', 'a.example:8443', 'b.example')
    const scheme = fc.constantFrom('https', 'http')
    const path = fc.array(fc.constantFrom('v1', 'v10', 'x', '.', '..', 'V1'), { maxLength: 4 })
    fc.assert(
      fc.property(scheme, host, path, scheme, host, path, fc.boolean(), (s1, h1, p1, s2, h2, p2, slash) => {
        const resolve = (segments: string[]) => {
          const whole: string[] = []
          for (const part of segments) {
            if (part === '..') whole.pop()
            else if (part !== '.') whole.push(part)
          }
          return whole
        }
        const portOf = (s: string, h: string) => h.split(':')[1] ?? (s === 'https' ? '443' : '80')
        const nameOf = (h: string) => h.split(':')[0]?.toLowerCase()
        const [allowed, asked] = [resolve(p1), resolve(p2)]
        const expected =
          s1 === s2 &&
          nameOf(h1) === nameOf(h2) &&
          portOf(s1, h1) === portOf(s2, h2) &&
          allowed.every((part, at) => part === asked[at])
        const url = (s: string, h: string, p: string[]) =>
          `${s}://${h}/${p.join('/')}${slash && p.length > 0 ? '/' : ''}`
        expect(endpointAllowed(allowing(url(s1, h1, p1)), url(s2, h2, p2))).toBe(expected)
      }),
    )
  })

  it('come from the file of tenants', () => {
    const file = (endpoints: string) =>
      readTenantsFile(
        Buffer.from(`tenants:\n  acme:\n    keys: []\n    collections: [acme]\n    context_endpoints: ${endpoints}\n`),
        'yaml',
        { plan: NAMED_PLANS.measured, environment: {} },
      )
    const [acme] = file('[https://api.openai.com/v1]').directory?.tenants ?? []
    expect(acme?.contextEndpoints).toEqual(['https://api.openai.com/v1'])
    expect(file('[api.openai.com]').faults?.join()).toMatch(
      /tenants\.acme\.context_endpoints\[0\]="api\.openai\.com": must be an http or https URL/u,
    )
    expect(file('["https://a.example/?key=secret"]').faults?.join()).toMatch(/context_endpoints\[0\]/u)
    expect(file('[1]').faults?.join()).toMatch(/context_endpoints\[0\]=1: must be a URL/u)
  })
})
