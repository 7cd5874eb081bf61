import { type AdminCall, openAdminClient, requireConfirmation, usageError } from '#cli'
import { CommandError } from '#kernel'
import type { FileValue } from '#kernel/system'
import { readSettings, type Settings, saveSettings } from '../settings/settings-api.ts'
import { isHighRisk, needsConfirmation, nest, readValue } from './setting-text-policy.ts'

export async function run(call: AdminCall<{ pairs: readonly string[] }, { yes: boolean }>): Promise<undefined> {
  const pairs = readPairs(call.parameters.pairs)
  const risky = [...pairs].find(([field, text]) => needsConfirmation(field, text))
  if (risky) requireConfirmation(call.flags.yes, risky.join('='))
  const client = await openAdminClient(call)
  const current = await client.call(readSettings)
  const values: Record<string, FileValue> = {}
  for (const [field, text] of pairs) {
    const about = requireEditable(field, current)
    const value = readValue(text, about)
    if (isHighRisk(about, value)) requireConfirmation(call.flags.yes, `${field}=${text}`)
    values[field] = value
  }
  const saved = await client.call(saveSettings, { body: nest(values) })
  call.out.result(saved, `Settings saved\nRestart required: ${saved.restart_required ? 'yes' : 'no'}`)
}

function readPairs(texts: readonly string[]): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>()
  for (const text of texts) {
    const at = text.indexOf('=')
    if (at < 1) throw usageError(`"${text}" must be key=value`)
    const field = text.slice(0, at)
    if (pairs.has(field)) throw usageError(`${field} is given twice`)
    pairs.set(field, text.slice(at + 1))
  }
  return pairs
}

function requireEditable(field: string, { metadata, env_managed, config_path }: Settings) {
  const about = Object.hasOwn(metadata, field) ? metadata[field] : undefined
  if (!about) throw usageError(`${field} is not a setting of this service; svc admin settings get shows all`)
  if (!about.editable) throw usageError(`${field} is changed in ${config_path} only`)
  const by = env_managed[field]
  if (by !== undefined) throw new CommandError(`${field} is managed by ${by}; change it there`)
  return about
}
