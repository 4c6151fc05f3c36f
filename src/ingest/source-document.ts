import type { JsonObject } from '../core/types.ts'

interface Sized {
  /** Size in the source, before anything is converted. */
  bytes?: number
}

export interface SourceDocument extends Sized {
  docId: string
  /** '' when the source has no title. */
  title: string
  text: string
  /** Where it was read: a file, or `file:line`. */
  place?: string
  /** Fields of the front matter besides the title. */
  frontMatter?: JsonObject
  /** Language that the document itself states, as `en`. */
  lang?: string
  /** Offset in `text` where each page begins, in order; only for formats with pages. */
  pages?: number[]
  /** Whether it was read from a file that is no Markdown by its kind, such as `.txt`; not set for other kinds. */
  isPlain?: boolean
  /** Whether it was read from a file of source code or settings; not set for other kinds. */
  isCode?: boolean
  /** `unknown` when the file does not tell its headings from its text; not set for text files. */
  headings?: 'marked' | 'unknown'
  /** A fault that did not prevent reading, with the name of the file. */
  warning?: string
}

/** A document of the source that is there and was not read. */
export interface SkippedDocument extends Sized {
  docId: string
  /** What prevented reading, for counting: `binary`, `unreadable`, `encrypted`. */
  skipped: string
  /** The same in a sentence, with the name of the file. */
  warning: string
}

/** A folder of the source whose content is unknown. */
export interface SkippedFolder {
  /** What the ids of the documents below it begin with. */
  idsBegin: string
  skipped: 'unreadable folder'
  /** The same in a sentence, with the name of the folder. */
  warning: string
}

export type SourceEntry = SourceDocument | SkippedDocument | SkippedFolder
