import { QdrantClient } from '@qdrant/js-client-rest'
import { addQuestionHeaders, withQuestion } from 'stowage/client'

/** The official client before stowage, prepared once. */
export function connect(url: string) {
  return addQuestionHeaders(new QdrantClient({ url }))
}

/** A search as before, which now says what the question is. */
export function search(client: QdrantClient, question: string, vector: number[], sessionId?: string) {
  return withQuestion(question, () => client.query('docs', { query: vector, limit: 8, with_payload: true }), {
    sessionId,
  })
}
