import { badRequest } from '../../../core/errors.ts'
import { type Fields, keep, listOf, objectOf, printMembers, type ReadValue, readMembers } from '../body/fields.ts'
import { collectionName } from '../body/search-fields.ts'
import { guardBody } from './guarding.ts'

/** Settings of a new collection. Servers before 1.16 also know `init_from`, which copies the points of another collection. */
const CREATE_FIELDS: Fields = Object.fromEntries(
  [
    'vectors',
    'sparse_vectors',
    'shard_number',
    'sharding_method',
    'replication_factor',
    'write_consistency_factor',
    'on_disk_payload',
    'hnsw_config',
    'wal_config',
    'optimizers_config',
    'quantization_config',
    'strict_mode_config',
    'metadata',
  ].map(field => [field, keep]),
)

export const guardCreateCollection = guardBody(objectOf(CREATE_FIELDS, 'the body'))

const ALIAS_ACTIONS: Fields = {
  create_alias: names('collection_name', 'alias_name'),
  delete_alias: names('alias_name'),
  rename_alias: names('old_alias_name', 'new_alias_name'),
}

const action: ReadValue = function* read(reader, scope) {
  const members = yield* readMembers(reader, scope, ALIAS_ACTIONS, 'an action')
  if (members.size !== 1) throw badRequest('An action has one name.')
  return printMembers(members)
}

/** Every collection and alias in the body must be reached. */
export const guardAliases = guardBody(objectOf({ actions: listOf(action, 'actions') }, 'the body'))

function names(...fields: string[]): ReadValue {
  return objectOf(Object.fromEntries(fields.map(field => [field, collectionName])), 'an action')
}
