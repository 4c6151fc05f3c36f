/** What a program can import from `stowage/client`. It needs `fetch` and `AsyncLocalStorage`, and nothing of stowage's own server. */
export type { ContextChunk, ContextRequest, ContextResponse } from '../pipeline/context-request.ts'
export type { Trace } from '../pipeline/trace/schema.ts'
export { type CallOptions, type Client, type ClientOptions, createClient } from './client.ts'
export { StowageClientError } from './client-error.ts'
export { type QuestionOptions, questionHeaders, withQuestion } from './question.ts'
export { addQuestionHeaders, fetchWithQuestion } from './question-headers.ts'
