import { type AdminCall, openAdminClient, usageError } from '#cli'
import { CommandError } from '#kernel'
import { readSettings, type Settings } from '../settings/settings-api.ts'

import { writeValue } from './setting-text-policy.ts'
import { describeSection, describeSetting, listSections, valueInUse } from './settings-view-policy.ts'

type GetCall = AdminCall<{ key: string | undefined }, { value: boolean }>

export async function run(call: GetCall): Promise<undefined> {
  const { key } = call.parameters
  const isBare = call.flags.value
  if (isBare && key === undefined) throw usageError('--value prints one setting; name it')
  const client = await openAdminClient(call)
  const settings = await client.call(readSettings)
  if (key === undefined) return call.out.result(settings, listSections(settings)) as undefined
  const about = Object.hasOwn(settings.metadata, key) ? settings.metadata[key] : undefined
  if (!about) return showSection(call, settings, key)
  if (!about.editable) throw usageError(`${key} is read and changed in ${settings.config_path} only`)
  const value = valueInUse(settings, key)
  if (isBare) return call.out.result(value ?? null, writeValue(value)) as undefined
  const { source, default: fallback, env, label, description } = about
  const facts = { key, value: value ?? null, source, default: fallback ?? null, env, label, description }
  call.out.result(facts, describeSetting(settings, key))
}

function showSection(call: GetCall, settings: Settings, path: string): undefined {
  const keys = Object.entries(settings.metadata).filter(([, { group }]) => group === path)
  if (keys.length === 0) throw usageError(`${path} is not a setting of this service; svc admin settings get shows all`)
  if (call.flags.value) throw usageError(`--value prints one setting, and ${path} is a section`)
  const editable = keys.filter(([, about]) => about.editable)
  if (editable.length === 0) throw new CommandError(`the settings of ${path} are read and changed in ${settings.config_path} only`)
  const values = editable.map(([key, { source, default: fallback }]) => [
    key,
    { value: valueInUse(settings, key) ?? null, source, default: fallback ?? null },
  ])
  call.out.result(Object.fromEntries(values), describeSection(settings, path))
}
