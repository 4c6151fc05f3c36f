import { createQdrantStore } from '../../../src/adapters/qdrant/store.ts'
import { startEmbeddedServer } from '../../../src/embedded/server.ts'
import { createQdrantHttp } from '../../../src/qdrant/client.ts'
import { fill } from './support/collections.ts'
import { createNaiveStore } from './support/naive-store.ts'
import { passageStoreContract, passages } from './support/store-contract.ts'

passageStoreContract('the naive store', async () => ({ store: createNaiveStore(passages), close: async () => {} }))

for (const names of [
  { dense: 'dense', sparse: 'sparse' },
  { dense: '', sparse: 'langchain-sparse' },
]) {
  passageStoreContract(`the Qdrant store over ${JSON.stringify(names)}`, async () => {
    const server = await startEmbeddedServer()
    await fill(server.url, passages, names)
    const http = createQdrantHttp(server.url)
    return {
      store: createQdrantStore({ http }),
      close: async () => {
        await http.close()
        await server.close()
      },
    }
  })
}
