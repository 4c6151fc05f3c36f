import { render } from 'preact'
import { messageOf } from '../../../../core/errors.ts'
import { App } from './app.tsx'
import { readReport } from './shared/data.ts'
import '../../../../web/page/base.css'
import './page.css'

const root = document.getElementById('page')
if (root)
  readReport()
    .then(data => {
      root.replaceChildren()
      render(<App data={data} />, root)
    })
    .catch((error: unknown) => {
      // An old browser, or a file that was cut.
      const paragraph = document.createElement('p')
      paragraph.className = 'loading'
      paragraph.textContent = `This report cannot be read: ${messageOf(error)}`
      root.replaceChildren(paragraph)
      throw error
    })
