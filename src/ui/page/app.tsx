import { useEffect, useState } from 'preact/hooks'
import { ThemeSelect } from '../../web/page/controls.tsx'
import { useAddress } from './address.ts'
import { AskView } from './views/ask-view.tsx'
import { RecentView } from './views/recent-view.tsx'
import { TraceView } from './views/trace-view.tsx'

const KEY = 'stowage-key'
const TITLES = { ask: 'stowage beside plain top-k', recent: 'Recent requests', trace: 'One request' }

export function App() {
  const address = useAddress()
  const [key, setKey] = useState(() => stored())
  const { view } = address
  useEffect(() => {
    document.title = view === 'ask' ? 'stowage' : `${TITLES[view]} – stowage`
  }, [view])
  const change = (next: string) => {
    setKey(next)
    store(next)
  }
  return (
    <>
      <header class="top">
        <p class="brand">stowage</p>
        <nav aria-label="Views" class="contents">
          <a href="#ask" aria-current={view === 'ask' ? 'page' : undefined}>
            Ask
          </a>
          <a href="#recent" aria-current={view === 'recent' ? 'page' : undefined}>
            Recent requests
          </a>
        </nav>
        <KeyField value={key} onChange={change} />
        <ThemeSelect />
      </header>
      <main id="main">
        <h1>{TITLES[view]}</h1>
        {/* It stays, so that a look at the recent requests loses no comparison. */}
        <div class="view" hidden={view !== 'ask'}>
          <AskView apiKey={key} address={address} />
        </div>
        {view === 'recent' && <RecentView apiKey={key} />}
        {view === 'trace' && <TraceView key={address.trace} apiKey={key} id={address.trace} />}
      </main>
    </>
  )
}

function KeyField({ value, onChange }: { value: string; onChange: (key: string) => void }) {
  return (
    <span class="control key">
      <label for="key">Key</label>
      <input
        id="key"
        type="password"
        autocomplete="off"
        spellcheck={false}
        placeholder="only if one is needed"
        title="The key of a tenant, or of Qdrant. This tab forgets it when it is closed."
        value={value}
        onInput={event => onChange(event.currentTarget.value.trim())}
      />
    </span>
  )
}

/** For this tab only. A browser that stores nothing still has the key until the page is left. */
function stored(): string {
  try {
    return sessionStorage.getItem(KEY) ?? ''
  } catch {
    return ''
  }
}

function store(key: string): void {
  try {
    if (key === '') sessionStorage.removeItem(KEY)
    else sessionStorage.setItem(KEY, key)
  } catch {
    // See above.
  }
}
