import { expect, it } from 'vitest'
import { readHtml } from '../../../src/ingest/documents/html/read-html.ts'

const textOf = (html: string) => (readHtml(Buffer.from(html)) as { text: string }).text
const page = (around: string) =>
  `<body class="has-cookie-banner">${around}<div class="content"><h1>Mooring</h1><p>Take the rope.</p></div></body>`

it.each([
  ['OneTrust', '<div id="onetrust-consent-sdk"><h2>We value your privacy</h2><p>We store cookies.</p></div>'],
  ['Cookiebot', '<div id="CybotCookiebotDialog"><table><tr><td>_ga</td><td>2 years</td></tr></table></div>'],
  ['a notice of cookies', '<div class="cookie-notice"><p>We use cookies.</p><a href="#">Got it!</a></div>'],
  ['a banner of consent', '<section class="gdpr-banner"><h3>Your choices</h3><p>Essential ones are on.</p></section>'],
  ['an alert', '<div role="alertdialog"><p>Subscribe now.</p></div>'],
  ['a link that skips to the text', '<a class="skip" href="#main">Skip to content</a>'],
  [
    'the trail of pages',
    '<div class="breadcrumbs"><a href="/">Home</a> » <span>Mooring a boat in the harbour</span></div>',
  ],
  ['a trail by its label', '<div aria-label="Breadcrumb"><a href="/">Home</a> / Mooring</div>'],
  ['buttons to share it', '<div class="share-buttons"><span>Share this:</span> <a href="#">Mail</a></div>'],
  [
    'a newsletter',
    '<div class="newsletter-signup"><h3>Stay in touch</h3><p>Get 10 % off.</p><form><input></form></div>',
  ],
  ['the column beside the text', '<div class="sidebar widget-area"><h4>Popular</h4><p>Ten myths of tides.</p></div>'],
  ['what is not printed', '<div class="d-print-none"><p>Edit this page in the browser.</p></div>'],
  [
    'links of a wiki',
    '<a class="mw-jump-link" href="#s">Jump to search</a><div class="hatnote">For the verb, see moor.</div>',
  ],
  ['boxes of a wiki', '<div class="navbox"><table><tr><th>Harbours</th><td>Tarn</td></tr></table></div>'],
])('leaves out %s', (_, around) => {
  expect(textOf(page(around))).toBe('# Mooring\n\nTake the rope.\n')
})

it.each([
  [
    'text about cookies',
    '<section id="cookie-notice"><h2>Cookie notice</h2><p>Set it by a header.</p></section>',
    'Set it',
  ],
  ['a class that names a cookie', '<div class="cookie-options"><p>It is sent once.</p></div>', 'It is sent once.'],
  [
    'a sidebar of docutils',
    '<div class="section"><div class="sidebar"><p>Mind the tide.</p></div></div>',
    'Mind the tide.',
  ],
  ['a link to a part in a sentence', '<p>You may <a href="#b">go to the end</a>.</p>', 'go to the end'],
  [
    'a paragraph in a box to share',
    '<div class="share"><p>The owners share the costs of the harbour: each pays for the berth, the water, the power and the guard of the gate at night, and half of the rope and of the paint.</p></div>',
    'The owners',
  ],
  ['the history of newsletters', '<div class="newsletter"><p>The first one came in 1911.</p></div>', '1911'],
])('keeps %s', (_, html, text) => {
  expect(textOf(page(html))).toContain(text)
})

it('keeps all that holds the heading of the page', () => {
  expect(textOf('<div class="noprint"><div class="sidebar"><h1>Mooring</h1><p>Take the rope.</p></div></div>')).toBe(
    '# Mooring\n\nTake the rope.\n',
  )
})
