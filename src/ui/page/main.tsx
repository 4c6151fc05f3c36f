import { render } from 'preact'
import { App } from './app.tsx'
import '../../web/page/base.css'
import './page.css'

const root = document.getElementById('page')
if (root) {
  root.replaceChildren()
  render(<App />, root)
}
