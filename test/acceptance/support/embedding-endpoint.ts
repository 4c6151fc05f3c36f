import { listen } from '../../support/listen.ts'
import { createRecordingServer, type Recorded, type Reply } from '../../support/recording-server.ts'

export type EmbeddingEndpoint = Awaited<ReturnType<typeof startEmbeddingEndpoint>>

/** The vector of every text. */
export const VECTOR = [1, 0, 0, 0]

/** An OpenAI-compatible endpoint on a port of its own; it can misbehave, and it can be away. */
export async function startEmbeddingEndpoint() {
  let misbehave: (() => Reply) | null = null
  const answer = ({ body }: Recorded): Reply => {
    if (misbehave) return misbehave()
    const { input } = JSON.parse(body) as { input: string[] }
    const data = input.map((_, index) => ({ object: 'embedding', index, embedding: VECTOR }))
    return { body: JSON.stringify({ object: 'list', data }), headers: { 'content-type': 'application/json' } }
  }
  let { server, requests } = createRecordingServer(answer)
  const url = await listen(server)
  const stop = async () => {
    const closed = new Promise(resolve => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  return {
    /** Settings of a stowage that embeds here. Its dimensions are not known without a request. */
    environment: {
      EMBEDDER: 'openai',
      OPENAI_API_KEY: 'key',
      OPENAI_BASE_URL: `${url}/v1`,
      EMBEDDING_MODEL: 'a-model-of-unknown-size',
    },
    requests: () => requests.length,
    /** From now on every request gets this reply; null is the right answer again. */
    misbehave(reply: (() => Reply) | null): void {
      misbehave = reply
    },
    stop,
    async start(): Promise<void> {
      ;({ server, requests } = createRecordingServer(answer))
      await listen(server, Number(new URL(url).port))
    },
  }
}
