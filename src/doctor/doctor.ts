import { checkCollection } from './collection-checks.ts'
import type { DoctorFacts, Setup } from './facts.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** Runs every check, in the order in which faults should be fixed. */
export function diagnose(facts: DoctorFacts): Finding[] {
  return [
    ok('configuration', 'all variables are valid'),
    checkServer(facts),
    ...checkModels(facts.setup),
    ...(facts.collection ? checkCollection(facts.collection, facts.setup.embedder) : []),
  ]
}

function checkServer({ setup: { url, embedded }, server }: DoctorFacts): Finding {
  const check = 'qdrant'
  if (server.fault !== null)
    return fail(check, server.fault, `Start Qdrant at ${url}, set QDRANT_URL, or unset it to use the embedded engine.`)
  const { version } = server.facts
  if (embedded) return ok(check, `the embedded engine answers, with the API of Qdrant ${version}`)
  if (!/^\d+\.\d+/.test(version)) {
    const detail = `${url} reports the version ${JSON.stringify(version)}`
    return warn(check, detail, 'Check that QDRANT_URL is the address of a Qdrant server.')
  }
  const [major = 0, minor = 0] = version.split('.').map(Number)
  // Qdrant 1.10 is the first version with the Query API, which every search uses.
  return major > 1 || (major === 1 && minor >= 10)
    ? ok(check, `version ${version} answers at ${url}`)
    : fail(check, `version ${version} at ${url} has no Query API`, 'Upgrade Qdrant to 1.10 or later.')
}

function checkModels({ embedder, unavailable }: Setup): Finding[] {
  const off = ok('embedder', 'off: only the keyword list is searched')
  const fix = 'Set EMBEDDER and EMBEDDING_MODEL to an available model, or set EMBEDDER=none.'
  const missing = unavailable.embedder === null ? off : warn('embedder', unavailable.embedder, fix)
  return [
    embedder ? ok('embedder', `${embedder.version} (${embedder.dimensions} dimensions)`) : missing,
    unavailable.reranker === null
      ? ok('reranker', 'loaded, or not used by this plan')
      : warn('reranker', unavailable.reranker, 'Set RERANK_MODEL to a folder with the model, or set RERANKER=off.'),
  ]
}
