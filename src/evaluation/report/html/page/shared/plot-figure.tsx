import * as Plot from '@observablehq/plot'
import { useEffect, useRef, useState } from 'preact/hooks'

interface PlotFigureProps {
  /** What the plot shows, for readers who do not see it. The figures themselves are in the table beside it. */
  label: string
  /** Called again when the width or `of` changes. @param width in pixels */
  options: (width: number) => Plot.PlotOptions
  /** What the plot depends on. */
  of: readonly unknown[]
  name: string
}

const NARROWEST = 260

export function PlotFigure({ label, options, of, name }: PlotFigureProps) {
  const holder = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const element = holder.current
    if (!element) return
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  // `of` names what `options` depends on.
  useEffect(() => {
    if (width === 0) return
    const plot = Plot.plot({
      width: Math.max(NARROWEST, width),
      style: { fontSize: '12px', fontFamily: 'inherit', overflow: 'visible' },
      ...options(Math.max(NARROWEST, width)),
    })
    // The plot is one image for a screen reader. Labels of its parts would be labels without a role.
    for (const part of plot.querySelectorAll('g[aria-label]')) part.removeAttribute('aria-label')
    plot.setAttribute('role', 'img')
    plot.setAttribute('aria-label', label)
    holder.current?.replaceChildren(plot)
  }, [width, label, ...of])
  return <div class="plot" data-plot={name} ref={holder} />
}
