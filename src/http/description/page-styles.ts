/** Styles of the page. Colours are those of the system, so that light, dark and forced colours work. */
export const STYLES = `
:root { color-scheme: light dark; --line: light-dark(#ccc, #555); --shade: light-dark(#f4f4f4, #222); --link: light-dark(#0645ad, #8ab4f8) }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; color: CanvasText; background: Canvas; display: grid; grid-template-columns: minmax(12rem, 20rem) minmax(0, 1fr) }
nav { padding: 1rem; border-right: 1px solid var(--line); position: sticky; top: 0; max-height: 100vh; box-sizing: border-box; overflow: auto; font-size: .9rem }
nav h2 { font-size: 1rem; margin: 1rem 0 .25rem }
nav ul { margin: 0; padding: 0; list-style: none; overflow-wrap: anywhere }
nav a { display: block; padding: .2rem 0 }
main { padding: 1rem 2rem 4rem; max-width: 70rem; box-sizing: border-box }
section { border-top: 1px solid var(--line); padding: .5rem 0; scroll-margin-top: 1rem }
h3 { overflow-wrap: anywhere }
a { color: var(--link) }
code, pre, h3 { font-family: ui-monospace, monospace }
code { background: var(--shade); overflow-wrap: anywhere }
pre { background: var(--shade); padding: .75rem; overflow: auto }
details { border: 1px solid var(--line); border-radius: .25rem; padding: .25rem .75rem; margin: .25rem 0 }
summary { cursor: pointer }
.table { overflow: auto }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .5rem; text-align: left; vertical-align: top; font-weight: normal }
thead th { font-weight: bold }
@media (max-width: 50rem) { body { display: block } nav { position: static; max-height: none; border: 0 } main { padding: 1rem } }
`
