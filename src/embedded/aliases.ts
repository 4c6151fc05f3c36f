import { EngineError, formatError, notFound, wrongInput } from './errors.ts'
import { isRecord, type JsonRecord, readList, readRecord, readString } from './wire/shape.ts'

/** Other names of collections: alias to collection. */
export type Aliases = ReadonlyMap<string, string>

/**
 * Returns the aliases after `{actions: [{create_alias | delete_alias | rename_alias}]}`. The actions are made in order, all or none.
 * @throws EngineError 404 on an unknown collection or alias, 409 on an alias with the name of a collection
 */
export function changedAliases(before: Aliases, body: unknown, isCollection: (name: string) => boolean): Aliases {
  const aliases = new Map(before)
  const refuseCollection = (name: string) => {
    if (isCollection(name)) throw new EngineError(409, `Wrong input: Collection \`${name}\` already exists!`)
  }
  for (const item of readList(readRecord(body, 'change aliases').actions, 'actions')) {
    const action = readRecord(item, 'action')
    if (isRecord(action.create_alias)) {
      const { alias_name, collection_name } = readNames(action.create_alias, 'alias_name', 'collection_name')
      if (!isCollection(collection_name)) throw notFound(`Collection \`${collection_name}\` doesn't exist!`)
      refuseCollection(alias_name)
      if (alias_name === '') throw wrongInput('an alias must have a name')
      aliases.set(alias_name, collection_name)
    } else if (isRecord(action.delete_alias)) {
      aliases.delete(readNames(action.delete_alias, 'alias_name').alias_name)
    } else if (isRecord(action.rename_alias)) {
      const { old_alias_name, new_alias_name } = readNames(action.rename_alias, 'old_alias_name', 'new_alias_name')
      const collection = aliases.get(old_alias_name)
      if (collection === undefined) throw notFound(`Alias ${old_alias_name} does not exists!`)
      refuseCollection(new_alias_name)
      aliases.delete(old_alias_name)
      aliases.set(new_alias_name, collection)
    } else throw formatError('data did not match any variant of untagged enum AliasOperations')
  }
  return aliases
}

/** The body that makes these aliases out of none. */
export function creatingBody(aliases: Aliases): JsonRecord {
  const actions = [...aliases].map(([alias_name, collection_name]) => ({
    create_alias: { alias_name, collection_name },
  }))
  return { actions }
}

/** The aliases as an answer, of one collection or of all. */
export function listedAliases(aliases: Aliases, collection?: string): JsonRecord {
  const listed = [...aliases].filter(([, target]) => collection === undefined || target === collection)
  return { aliases: listed.map(([alias_name, collection_name]) => ({ alias_name, collection_name })) }
}

function readNames<Field extends string>(record: JsonRecord, ...fields: Field[]): { [field in Field]: string } {
  const entries = fields.map(field => {
    if (record[field] === undefined) throw formatError(`missing field \`${field}\``)
    return [field, readString(record[field], field)] as const
  })
  return Object.fromEntries(entries) as { [field in Field]: string }
}
