import type { Command } from 'commander'
import { numberOption } from '../option-values.ts'
import { type ServeCommandDependencies, serve } from '../serve.ts'

export interface RerankServerOptions {
  host: string
  port: number
  /** Folder or hub id; absent: RERANK_MODEL, else the included model. */
  model?: string
  /** Worker threads; absent: one per core, at most 4. */
  workers?: number
  maxBytes: number
  maxClientBatchSize: number
  maxQueue: number
}

/** Adds `stowage rerank-server`: runs until SIGTERM or SIGINT, then answers what it has; a second signal ends the process at once. */
export function addRerankServerCommand(
  program: Command,
  dependencies: ServeCommandDependencies<RerankServerOptions>,
): void {
  program
    .command('rerank-server')
    .description(
      'serve a reranker over HTTP in the shape of text-embeddings-inference: POST /rerank, GET /health, /info, /metrics',
    )
    .option('--port <port>', 'port to listen on; 0 chooses a free one', numberOption(0, 65_535), 6434)
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--model <model>', 'folder or hub id of a cross-encoder (default: RERANK_MODEL, else the included model)')
    .option('--workers <threads>', 'worker threads (default: one per core, at most 4)', numberOption(1, 256))
    .option('--max-client-batch-size <texts>', 'most texts of a request; more get 413', numberOption(1, 10_000), 128)
    .option(
      '--max-queue <texts>',
      'most texts that are not answered yet; more get 429',
      numberOption(1, 1_000_000),
      512,
    )
    .option('--max-bytes <bytes>', 'most bytes of a body; more get 413', numberOption(1_000, 1_000_000_000), 8_388_608)
    .addHelpText(
      'after',
      '\nRERANK_SERVER_API_KEY: key that requests must have as `Authorization: Bearer`, except for /health.',
    )
    .action((options: RerankServerOptions) => serve(options, dependencies))
}
