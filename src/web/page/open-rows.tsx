import { useState } from 'preact/hooks'

/** Which rows of a table are open, by their keys. */
export function useOpenRows<Key>() {
  const [open, setOpen] = useState<ReadonlySet<Key>>(new Set())
  const toggle = (key: Key) => {
    const next = new Set(open)
    if (!next.delete(key)) next.add(key)
    setOpen(next)
  }
  return { open, setOpen, toggle }
}

interface RowOpenerProps {
  name: string
  isOpen: boolean
  /** Id of the row with the details. */
  controls: string
  onToggle: () => void
}

/** The name of a row, which opens the details below it. */
export function RowOpener({ name, isOpen, controls, onToggle }: RowOpenerProps) {
  return (
    <button type="button" class="opener" aria-expanded={isOpen} aria-controls={controls} onClick={onToggle}>
      <span class="turn" aria-hidden="true">
        ›
      </span>
      <span dir="auto">{name}</span>
    </button>
  )
}
