import { type ConfigState, envName, type FieldError, type FileValue, type LoadedConfig } from '#kernel/system'
import { walletErrors } from '../errors.ts'
import type { Preflight } from './readiness-api.ts'

/**
 * Merges unsaved settings over those that a start would load now. Throws `settings_invalid` (400) with its fields for invalid values and for
 * settings that the environment or --set overrides.
 */
export function readDraft(state: ConfigState, { chain = {} }: Preflight): LoadedConfig {
  const { observability = {}, ...keys } = chain
  const changes = { ...atPath('chain', keys), ...atPath('chain.observability', observability) }
  const current = state.reload()
  const managed = Object.keys(changes).flatMap((field) => {
    const source = current.sources.get(field)
    if (source !== 'env' && source !== 'flag') return []
    return [{ field, message: `is managed by ${source === 'env' ? envName(field) : '--set'}` }]
  })
  if (managed.length > 0) throw invalid(managed)
  const draft = state.reload(changes)
  const known = new Set(current.problems.map(({ field }) => field))
  // Ignore earlier problems in settings that the draft does not change: the checks report them.
  const wrong = draft.problems.filter(({ field }) => Object.hasOwn(changes, field) || !known.has(field))
  if (wrong.length > 0) throw invalid(wrong.map(({ field, message }) => ({ field, message })))
  return draft
}

const atPath = (path: string, keys: Readonly<Record<string, FileValue>>): Record<string, FileValue> =>
  Object.fromEntries(Object.entries(keys).map(([key, value]) => [`${path}.${key}`, value]))

const invalid = (fields: readonly FieldError[]) =>
  walletErrors.settings_invalid({ message: fields.map(({ field, message }) => `${field} ${message}`).join('; '), fields })
