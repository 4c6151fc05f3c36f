import { columnsOf } from '../../text/columns.ts'

/** A line alone that is the term of what stands below it. */
export interface Term {
  columns: number
  place: number
  /** Whether its body is the paragraph below it, and no deeper text. */
  isName: boolean
}

/**
 * The terms that are open at a place of a text, as in a list of options. Without its term, a body would be read as that of another one. The body stands deeper, up to the
 * next line that does not. Where a list of definitions has no indentation, the body of a term is one paragraph: what follows may be no definition.
 */
export class OpenTerms {
  private readonly open: Term[] = []

  /** Place of the innermost term whose body holds the line that was entered last; undefined for none. */
  get innermost(): number | undefined {
    return this.open.at(-1)?.place
  }

  /** Goes on to the next line, from its indentation on. @param above the line before it, where that is a term */
  enter(line: string, beginsParagraph: boolean, above: Term | null): void {
    const columns = columnsOf(line)
    while (this.ends(columns, beginsParagraph)) this.open.pop()
    if (above) this.open.push(above)
  }

  private ends(columns: number, beginsParagraph: boolean): boolean {
    const term = this.open.at(-1)
    if (term === undefined) return false
    return term.isName ? beginsParagraph : columns <= term.columns
  }
}
