import Table from 'cli-table3'
import { Command } from 'commander'
import { loadConfig } from '../../src/config.ts'
import { StowageError } from '../../src/core/errors.ts'
import type { Embedder } from '../../src/core/ports.ts'
import { type GoldenSet, readGoldenSet } from '../../src/evaluation/golden-set/golden-set.ts'
import { encodeBm25Document } from '../../src/text/qdrant-bm25.ts'
import { openModels } from '../../src/wiring/models.ts'
import { machine, tableText } from './bench-report.ts'
import { createNpmEmbedder } from './npm-embedder.ts'
import {
  bm25Scorer,
  denseScorer,
  hybridScorer,
  type ListFigures,
  listFigures,
  RECALL_CUTS,
  rankAll,
} from './retrieval-arms.ts'
import { unitsOf } from './retrieval-units.ts'
import { type Contender, type Measured, millisecondsOf, sideBySide } from './side-by-side.ts'
import { count, finish, progressLine, shown, signed } from './terminal.ts'

interface Flags {
  model?: string
  npm?: boolean
  limitQueries?: number
  json?: boolean
}

interface SetFound {
  set: string
  kind: 'documents' | 'chunks'
  units: number
  queries: number
  /** Queries whose evidence no unit holds half of. */
  unanswerable: number
  arms: ListFigures[]
}

const SPEED_TEXTS = 64
const SPEED_ROUNDS = 5

const program = new Command('bench:embed')
  .description('nDCG@10 and recall of the configured embedder’s dense list on golden sets, beside BM25 and hybrid')
  .argument('<set...>', 'folders of golden sets')
  .option('--model <folder or id>', 'in place of EMBEDDING_MODEL')
  .option('--npm', 'the embedder that comes from npm as well (slow)')
  .option('--limit-queries <n>', 'only the first n queries of each set', count)
  .option('--json', 'one JSON document on stdout (npm run --silent)')
  .action(run)

async function run(paths: string[], { model, npm, limitQueries, json }: Flags): Promise<void> {
  const loaded = loadConfig()
  const config = model ? { ...loaded, settings: { ...loaded.settings, EMBEDDING_MODEL: model } } : loaded
  const sets = await Promise.all(paths.map(path => readGoldenSet(path)))
  const models = await openModels(config, { wanted: { embedder: true, reranker: false } })
  if (models.embedder === null)
    throw new StowageError('bad_request', models.unavailable.embedder ?? 'EMBEDDER=none: there is nothing to measure')
  const embedders = [models.embedder, ...(npm ? [await createNpmEmbedder()] : [])]
  try {
    const found: SetFound[] = []
    for (const set of sets) found.push(await measureSet(limited(set, limitQueries), embedders))
    const speed = await measureSpeed(sets, embedders)
    const result = { machine: machine(), embedders: embedders.map(({ version }) => version), sets: found, speed }
    process.stdout.write(json ? `${JSON.stringify(result)}\n` : textOf(found, speed))
  } finally {
    await Promise.all(embedders.map(embedder => embedder.close()))
  }
}

function limited(set: GoldenSet, limit: number | undefined): GoldenSet {
  return { ...set, queries: set.queries.slice(0, limit) }
}

async function measureSet(set: GoldenSet, embedders: readonly Embedder[]): Promise<SetFound> {
  const { kind, units, relevant } = unitsOf(set)
  const texts = units.map(({ encodedText }) => encodedText)
  const queries = set.queries.map(({ query }) => query)
  const lexical = bm25Scorer(texts)
  const lists = [await rankAll('BM25', lexical, queries)]
  for (const embedder of embedders) {
    const dense = await denseScorer(embedder, texts, progressLine(process.stderr, `${set.name}: ${embedder.version}`))
    lists.push(await rankAll(embedder.version, dense, queries))
    lists.push(await rankAll(`BM25 and ${embedder.version}`, hybridScorer(lexical, dense), queries))
  }
  return {
    set: set.name,
    kind,
    units: units.length,
    queries: queries.length,
    unanswerable: relevant.filter(places => places.size === 0).length,
    arms: listFigures(lists, relevant),
  }
}

/** Texts a second on the same texts in interleaved rounds: the first set's units, spread over it. */
function measureSpeed(sets: readonly GoldenSet[], embedders: readonly Embedder[]): Promise<Measured[]> {
  const all = sets.slice(0, 1).flatMap(set => unitsOf(set).units)
  const step = Math.max(1, Math.floor(all.length / SPEED_TEXTS))
  const texts = all.filter((_, at) => at % step === 0).map(({ encodedText }) => encodedText)
  const contender = (label: string, encode: () => unknown): Contender => ({
    label,
    run: async () => ({ 'texts/s': (1000 * texts.length) / (await millisecondsOf(encode)) }),
  })
  const [first, ...others] = embedders.map(embedder =>
    contender(embedder.version, () => embedder.embedPassages([...texts])),
  )
  const lexical = contender('BM25', () => texts.map(text => encodeBm25Document(text)))
  return sideBySide([...(first ? [first] : []), ...others, lexical], { rounds: SPEED_ROUNDS })
}

function textOf(sets: readonly SetFound[], speed: readonly Measured[]): string {
  const blocks = sets.map(({ set, kind, units, queries, unanswerable, arms }) => {
    const recalls = RECALL_CUTS.map(k => `recall@${k}`)
    const table = new Table({
      head: ['list', 'nDCG@10', 'to BM25', '', ...recalls],
      style: { head: [], border: [], compact: true },
    })
    for (const { arm, ndcg, recall, comparison } of arms) {
      const change = comparison ? [signed(comparison.difference), comparison.verdict] : ['', '']
      table.push([arm, shown(ndcg), ...change, ...RECALL_CUTS.map(k => recall[k]?.mean.toFixed(3) ?? '')])
    }
    const left = unanswerable > 0 ? ` (${unanswerable} left out: no ${kind.slice(0, -1)} holds their evidence)` : ''
    return `${set}: ${queries} queries${left}, ${units} ${kind}\n${table}`
  })
  const legend = [
    'nDCG@10 with gain 1 for each relevant unit, recall@k = relevant units among the first k ÷ all; in brackets the 95 % bootstrap interval over queries.',
    'Units are documents where all evidence is whole documents, else chunks of about 200 tokens; a chunk is relevant when it shares half of the smaller of itself and the evidence.',
    '“BM25 and …” adds both lists of 100, each scaled to [0,1] by minmax, half and half.',
    `Speed: ${SPEED_TEXTS} texts of the first set in ${SPEED_ROUNDS} interleaved rounds, all workers of each.`,
  ]
  return `${[...blocks, tableText(speed), ...legend].join('\n')}\n`
}

await finish(program)
