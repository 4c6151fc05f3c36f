import { checkCollection } from './collection-checks.ts'
import type { DoctorFacts, Setup } from './facts.ts'
import { type Finding, ok, warn } from './finding.ts'
import { checkRerankNodes } from './rerank-checks.ts'
import { checkServer } from './server-check.ts'
import { checkTenants } from './tenant-checks.ts'

/** Runs every check, in the order in which faults should be fixed. */
export function diagnose(facts: DoctorFacts): Finding[] {
  return [
    checkConfiguration(facts.setup),
    ...checkFiles(facts.setup),
    checkServer(facts.server, facts.setup),
    ...checkModels(facts.setup),
    ...checkRerankNodes(facts.setup.rerankNodes ?? []),
    ...(facts.setup.sharedStore ? [checkSharedStore(facts.setup.sharedStore)] : []),
    ...(facts.tenants ? checkTenants(facts.tenants) : []),
    ...(facts.collection ? checkCollection(facts.collection, facts.setup) : []),
  ]
}

function checkConfiguration({ unknownVariables }: Setup): Finding {
  if (unknownVariables.length === 0) return ok('configuration', 'all variables are valid')
  return warn('configuration', unknownVariables.join('; '), 'Correct the name, or remove the variable.')
}

function checkFiles({ unwritable, flagFaults }: Setup): Finding[] {
  return [
    ...unwritable.map(fault =>
      warn('files', fault, 'Correct the path, or who may write there. The server starts without it.'),
    ),
    ...flagFaults.map(fault =>
      warn('flags', fault, 'Correct it at the source. `stowage flags` lists every flag that is known.'),
    ),
  ]
}

function checkSharedStore({ fault }: NonNullable<Setup['sharedStore']>): Finding {
  if (fault === null) return ok('shared store', 'REDIS_URL can be read and written')
  const fix = 'Correct address and password in REDIS_URL, or give it memory. Until then each process goes on alone.'
  return warn('shared store', `REDIS_URL ${fault}`, fix)
}

function checkModels({ embedder, unavailable, modelWarnings }: Setup): Finding[] {
  const off = ok('embedder', 'off: only the keyword list is searched')
  const fix = 'Set EMBEDDER and EMBEDDING_MODEL to an available model, or set EMBEDDER=none.'
  const missing = unavailable.embedder === null ? off : warn('embedder', unavailable.embedder, fix)
  return [
    embedder ? ok('embedder', `${embedder.version} (${embedder.dimensions} dimensions)`) : missing,
    ...modelWarnings.map(warning =>
      warn('models', warning, 'Change what the variable names. Until then answers come later, or are worse.'),
    ),
    unavailable.reranker === null
      ? ok('reranker', 'loaded, or not used by this plan')
      : warn('reranker', unavailable.reranker, 'Set RERANK_MODEL to a folder with the model, or set RERANKER=off.'),
  ]
}
