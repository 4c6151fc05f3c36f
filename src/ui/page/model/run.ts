import { pointKey } from '../../../core/keys.ts'
import { markRepeated } from '../../../demo/repeated.ts'
import type { Comparison, Passage } from '../../../http/ui/schemas.ts'
import { evidenceWords } from '../../../pipeline/trace/evidence-words.ts'
import type { Trace, TraceCandidate } from '../../../pipeline/trace/schema.ts'
import { titledPath } from '../../../text/names/titled-path.ts'

/** A packed chunk. */
export interface Block {
  key: string
  /** Place in the context, from 1. */
  place: number
  /** Title and section. */
  name: string
  docId: string
  text: string | null
  tokens: number
  /** Whether its text stands earlier in the same context already. */
  repeated: boolean
}

/** One run of the pipeline, as the page shows it. */
export interface Run {
  title: string
  trace: Trace
  blocks: Block[]
  rows: Row[]
}

/** A candidate with what a reader wants to see of its point. */
export interface Row {
  key: string
  candidate: TraceCandidate
  /** Order of the list: those of the context first, then the others by value. From 1. */
  rank: number
  name: string
  /** Null when it could not be read. */
  text: string | null
  /** The figures behind the reason, in words; empty when there are none. */
  evidence: string
}

/** Both runs of a comparison, stowage first. */
export function runsOf({ stowage, top_k, passages }: Comparison, rival: string): [Run, Run] {
  const texts = passagesByKey(passages)
  const run = (title: string, { trace, chunks }: Comparison['stowage']): Run => ({
    title,
    trace,
    rows: rowsOf(trace, texts),
    // Only the trace of stowage knows which candidates repeat others.
    blocks: markRepeated(chunks, stowage.trace).map(({ chunk, repeated }, at) => ({
      key: pointKey(chunk),
      place: at + 1,
      name: titledPath(chunk.doc_title, chunk.section_path) || chunk.doc_id,
      docId: chunk.doc_id,
      text: chunk.text,
      tokens: chunk.tokens,
      repeated,
    })),
  })
  return [run('stowage', stowage), run(rival, top_k)]
}

/** The run of a stored trace. A trace holds no texts: those of the points are shown, also where the context has a part of them. */
export function storedRun(trace: Trace, passages: readonly Passage[]): Run {
  const rows = rowsOf(trace, passagesByKey(passages))
  const blocks = rows.flatMap(({ key, name, text, candidate }) => {
    const { decision, position, doc_id, tokens } = candidate
    return decision === 'packed'
      ? [{ key, place: position ?? 0, name, docId: doc_id, text, tokens: tokens ?? 0, repeated: false }]
      : []
  })
  return { title: 'This request', trace, blocks, rows }
}

export function textsOf({ blocks }: Run): string[] {
  return blocks.map(({ text }) => text ?? '')
}

/** The keys of the blocks, and of the candidates that have the same text as one of them, as the trace of stowage tells. */
export function keysWithTexts(blocks: readonly Block[], { candidates }: Trace): ReadonlySet<string> {
  const originals = new Map(
    candidates.flatMap(one =>
      one.reason === 'duplicate' && one.evidence?.of ? [[pointKey(one), one.evidence.of] as const] : [],
    ),
  )
  const originalOf = (key: string) => originals.get(key) ?? key
  const held = new Set(blocks.map(({ key }) => originalOf(key)))
  const copies = [...originals].flatMap(([copy, original]) => (held.has(original) ? copy : []))
  return new Set([...held, ...copies])
}

type Texts = ReadonlyMap<string, Passage>

function passagesByKey(passages: readonly Passage[]): Texts {
  return new Map(passages.map(passage => [pointKey(passage), passage]))
}

function rowsOf(trace: Trace, texts: Texts): Row[] {
  const placeOf = ({ position }: TraceCandidate) => position ?? Number.POSITIVE_INFINITY
  const nameOf = (key: string, candidate?: TraceCandidate) => {
    const passage = texts.get(key)
    const path = candidate?.section_path || passage?.section_path || ''
    return titledPath(passage?.doc_title ?? '', path) || candidate?.doc_id || passage?.doc_id || key
  }
  const ordered = [...trace.candidates].sort((a, b) =>
    placeOf(a) === placeOf(b) ? b.final - a.final : placeOf(a) - placeOf(b),
  )
  const ranks = new Map(ordered.map((candidate, at) => [pointKey(candidate), at + 1]))
  const other = (key: string) => `${ranks.has(key) ? `#${ranks.get(key)} ` : ''}“${nameOf(key)}”`
  return ordered.map((candidate, at) => {
    const key = pointKey(candidate)
    const text = texts.get(key)?.text ?? null
    const evidence = evidenceWords(candidate.evidence, other).join(', ')
    return { key, candidate, rank: at + 1, name: nameOf(key, candidate), text, evidence }
  })
}
