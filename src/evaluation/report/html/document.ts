import { escapedHtml, type PageFiles, policyHash } from '../../../web/page-files.ts'

/** Data of the page, each already encoded by `encodePart`. */
interface EncodedData {
  main: string
  points: string
  parts: readonly string[]
}

/**
 * Writes the file. Texts of documents and questions are inside base64 only, so none of them can end an element, and the policy of the
 * page allows its own script and nothing from a network. Styles are free, because the plots bring their own.
 */
export function htmlDocument(
  title: string,
  { script, styles }: PageFiles,
  { main, points, parts }: EncodedData,
): string {
  const policy = [
    "default-src 'none'",
    `script-src ${policyHash(script)}`,
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapedHtml(title)}</title>
<style>${styles}</style>
</head>
<body>
<div id="page"><p class="loading">The report is being read …</p></div>
<noscript><p class="loading">This report needs JavaScript. It loads nothing from a network.</p></noscript>
<script type="text/plain" id="data-main">${main}</script>
<script type="text/plain" id="data-points">${points}</script>
<script type="text/plain" id="data-parts">${parts.join('\n')}</script>
<script>${script}</script>
</body>
</html>
`
}
