import type { ComponentChildren } from 'preact'
import { useEffect, useId, useState } from 'preact/hooks'

interface SelectProps<Value extends string | number> {
  label: string
  value: Value
  options: readonly (readonly [Value, string])[]
  onChange: (value: Value) => void
}

export function Select<Value extends string | number>({ label, value, options, onChange }: SelectProps<Value>) {
  const id = useId()
  return (
    <span class="control">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={String(value)}
        onChange={event => {
          const chosen = options[event.currentTarget.selectedIndex]
          if (chosen) onChange(chosen[0])
        }}
      >
        {options.map(([option, text]) => (
          <option key={option} value={String(option)} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
    </span>
  )
}

interface SectionProps {
  id: string
  title: string
  /** What the part shows, in one or two sentences. */
  lead: ComponentChildren
  controls?: ComponentChildren
  children: ComponentChildren
}

/** A part of the page. */
export function Section({ id, title, lead, controls, children }: SectionProps) {
  return (
    <section class="card" id={`part-${id}`} aria-labelledby={`title-${id}`}>
      <header class="card-head">
        <h2 id={`title-${id}`} tabIndex={-1}>
          {title}
        </h2>
        <p class="lead">{lead}</p>
      </header>
      {controls && <div class="controls no-print">{controls}</div>}
      {children}
    </section>
  )
}

/** Chooses light or dark colours, or those of the system. */
export function ThemeSelect() {
  const [theme, setTheme] = useState('light dark')
  useEffect(() => {
    document.documentElement.style.colorScheme = theme
  }, [theme])
  return (
    <span class="control theme no-print">
      <label for="theme">Colours</label>
      <select id="theme" value={theme} onChange={event => setTheme(event.currentTarget.value)}>
        <option value="light dark">as the system</option>
        <option value="light">light</option>
        <option value="dark">dark</option>
      </select>
    </span>
  )
}
