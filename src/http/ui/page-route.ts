import type { RequestHandler } from 'express'
import { StowageError } from '../../core/errors.ts'
import { type BuiltPage, escapedHtml, policyHash } from '../../web/page-files.ts'
import { sendHtml } from '../body/send-json.ts'

/** `GET /v1/ui`: the page, without data. Its script asks for them with the key of the reader. */
export function pageRoute(readPage: () => Promise<BuiltPage>): RequestHandler {
  return async (request, response) => {
    const page = await readPage().catch(cause => {
      const advice = 'a package has the page built; in a clone, run npm ci with the development dependencies'
      throw new StowageError('not_found', `The page cannot be built (${codeOf(cause)}): ${advice}`, { cause })
    })
    response.setHeader('content-security-policy', policyOf(page))
    response.setHeader('cache-control', 'no-store')
    response.setHeader('x-content-type-options', 'nosniff')
    response.setHeader('referrer-policy', 'no-referrer')
    sendHtml(request, response, documentOf(page))
  }
}

/** Its own script and styles by their hashes, and requests to where it came from. No text can become markup (trusted types). */
function policyOf({ script, styles }: BuiltPage): string {
  return [
    "default-src 'none'",
    `script-src ${policyHash(script)}`,
    `style-src ${policyHash(styles)}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}

function documentOf({ script, styles, licences }: BuiltPage): string {
  const texts = licences.map(({ name, text }) => `<h3>${escapedHtml(name)}</h3>\n<pre>${escapedHtml(text)}</pre>`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>stowage</title>
<link rel="icon" href="data:,">
<style>${styles}</style>
</head>
<body>
<div id="page"><p class="loading">The page is being built …</p></div>
<noscript><p class="loading">This page needs JavaScript. It talks to this server only.</p></noscript>
<footer><details><summary>Licences of the software in this page</summary>
${texts.join('\n')}
</details></footer>
<script>${script}</script>
</body>
</html>
`
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'see the sources of the page'
}
