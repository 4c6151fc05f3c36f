import type { Chunk } from '../../core/types.ts'
import { isCode } from './is-code.ts'

/** Languages as the fence of a code block names them, with the extensions of their files. */
const SOURCE = {
  ts: 'ts mts cts',
  tsx: 'tsx',
  js: 'js mjs cjs',
  jsx: 'jsx',
  python: 'py pyi',
  ruby: 'rb',
  php: 'php',
  go: 'go',
  rust: 'rs',
  java: 'java',
  kotlin: 'kt kts',
  scala: 'scala',
  swift: 'swift',
  dart: 'dart',
  c: 'c h',
  cpp: 'cc cpp cxx hpp hh',
  csharp: 'cs',
  objc: 'm mm',
  sh: 'sh bash zsh',
  powershell: 'ps1',
  lua: 'lua',
  perl: 'pl pm',
  r: 'r',
  julia: 'jl',
  elixir: 'ex exs',
  erlang: 'erl',
  haskell: 'hs',
  ocaml: 'ml',
  clojure: 'clj',
  sql: 'sql',
  proto: 'proto',
}

/** The same for settings and data. The empty name is that of files whose language their extension does not tell. */
const SETTINGS = {
  ini: 'cnf cfg ini service socket timer mount target slice',
  sh: 'env',
  properties: 'properties',
  toml: 'toml',
  yaml: 'yaml yml',
  json: 'json',
  xml: 'xml',
  '': 'conf rules',
}

/** The languages of source code by extension. */
export const SOURCE_LANGUAGES = byExtension(SOURCE)
/** The same of settings and data: a line of them that begins with `#` is a comment, and their indentation says something. */
const SETTINGS_LANGUAGES = byExtension(SETTINGS)

function byExtension(languages: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const pairs = Object.entries(languages).flatMap(([language, extensions]) =>
    extensions.split(' ').map(extension => [extension, language] as const),
  )
  return new Map(pairs)
}

/** What a template of a file has behind its own extension: `app.conf.sample`. */
const TEMPLATE = /(?<=\.\w+)\.(?:sample|example|dist|default|template)$/iu

const EXTENSION = /\.([^./\\]+)$/u
/** Such files hold settings: `.env`, `.bashrc`, `.env.local`. */
const HIDDEN = /(?:^|[/\\])\.[^/\\]+$/u

/** The extension of a file in lower case, without its dot, `env` of `.env`; '' for none. */
export function extensionOf(file: string): string {
  return EXTENSION.exec(file.replace(TEMPLATE, ''))?.[1]?.toLowerCase() ?? ''
}

/** The kind and the language of a file of source code or settings, by its name; the language is '' where the extension does not tell it. Null for other files. */
export function codeFile(name: string): { kind: 'code' | 'settings'; language: string } | null {
  const extension = extensionOf(name)
  const source = SOURCE_LANGUAGES.get(extension)
  if (source !== undefined) return { kind: 'code', language: source }
  const language = SETTINGS_LANGUAGES.get(extension) ?? (HIDDEN.test(name) ? '' : undefined)
  return language === undefined ? null : { kind: 'settings', language }
}

/** What of a chunk tells whether it is of source code. */
export type CodeEvidence = Pick<Chunk, 'docId' | 'docTitle' | 'header' | 'text'>

/**
 * The language of the source code or the settings that a chunk is of, '' where it is unknown; null for other text. The path alone does not say it, because a page of the web can be
 * called `index.php`: the title of the document is the name of the file, too, or the text looks like code. Below a heading it is none: the id of a page about `package.json` is the name
 * of its file, `package.json.md`, without `.md`, and its heading may be the same.
 */
export function codeLanguageOf({ docId, docTitle, header, text }: CodeEvidence): string | null {
  if (header !== '') return null
  const file = docId.slice(Math.max(docId.lastIndexOf('/'), docId.lastIndexOf('\\')) + 1)
  const found = codeFile(file)
  return found !== null && (docTitle === file || isCode(text)) ? found.language : null
}
