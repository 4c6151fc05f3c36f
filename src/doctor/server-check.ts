import type { ServerState, Setup } from './facts.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const CHECK = 'qdrant'
const GRPC_PORT = /:6334(?:\/|$)/u

type Qdrant = Extract<ServerState, { kind: 'qdrant' }>

/** Says what answers at the address of Qdrant, and what to change when it is not a Qdrant that can be used. */
export function checkServer(state: ServerState, { url, embedded }: Setup): Finding {
  if (state.kind === 'qdrant') return checkVersion(state, url, embedded)
  const [detail, fix] = problemOf(state, url)
  return fail(CHECK, detail, fix)
}

function problemOf(state: Exclude<ServerState, Qdrant>, url: string): [detail: string, fix: string] {
  switch (state.kind) {
    case 'key_refused':
      return state.hasKey
        ? [`${url} is a Qdrant and refuses the key (${state.status})`, 'Correct QDRANT_API_KEY or --api-key.']
        : [`${url} is a Qdrant and asks for a key (${state.status})`, 'Set QDRANT_API_KEY or --api-key.']
    case 'nobody':
      return [
        `no server answers at ${url}: ${state.reason}`,
        `Start Qdrant at ${url}, set QDRANT_URL to its address, or unset it to use the embedded engine.`,
      ]
    case 'speaks_tls':
      return [`${url} answers with TLS only`, `Write https:// in QDRANT_URL: ${url.replace(/^http:/u, 'https:')}`]
    case 'speaks_plain_http':
      return [`${url} answers without TLS only`, `Write http:// in QDRANT_URL: ${url.replace(/^https:/u, 'http:')}`]
    case 'bad_certificate':
      return [
        `the certificate of ${url} is not accepted: ${state.reason}`,
        'Use the host name of the certificate, or name its authority in NODE_EXTRA_CA_CERTS.',
      ]
    case 'other_service':
      return [
        `${url} is not a Qdrant: ${state.detail}`,
        GRPC_PORT.test(url)
          ? "6334 is Qdrant's gRPC port. Set QDRANT_URL to the port of its REST API, usually 6333."
          : "Set QDRANT_URL to the address of Qdrant's REST API; its port is usually 6333.",
      ]
  }
}

function checkVersion({ version, refusedByFetch }: Qdrant, url: string, embedded: boolean): Finding {
  if (embedded) return ok(CHECK, `the embedded engine answers, with the API of Qdrant ${version}`)
  const [major = 0, minor = 0] = version.split('.').map(Number)
  // Qdrant 1.10 is the first version with the Query API, which every search uses.
  if (major < 1 || (major === 1 && minor < 10))
    return fail(CHECK, `version ${version} at ${url} has no Query API`, 'Upgrade Qdrant to 1.10 or later.')
  if (!refusedByFetch) return ok(CHECK, `version ${version} answers at ${url}`)
  return warn(
    CHECK,
    `version ${version} answers at ${url}, but the fetch of Node and of browsers refuses this port`,
    'Give Qdrant another port. Until then `stowage ingest` and the JavaScript clients cannot use this address.',
  )
}
