/** Markup. Plain strings are escaped when they are put into it. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }

  toString(): string {
    return this.markup
  }
}

/** Markup from a template: every value that is not markup itself is escaped. */
export function html(parts: TemplateStringsArray, ...values: (string | Html)[]): Html {
  return new Html(String.raw({ raw: parts }, ...values.map(value => (value instanceof Html ? value : escaped(value)))))
}

export function escaped(text: string): Html {
  return new Html(text.replace(/[&<>"']/gu, sign => `&#${sign.charCodeAt(0)};`))
}

export function joined(all: readonly Html[]): Html {
  return new Html(all.join(''))
}
