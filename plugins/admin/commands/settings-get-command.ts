import { type CommandCall, CommandError, formatTable, openAdminClient } from '#kernel'
import { readSettings, type Settings } from '../settings/settings-api.ts'
import { showValue, valueAt, writeValue } from './setting-text-policy.ts'

export async function run(call: CommandCall): Promise<undefined> {
  const client = await openAdminClient(call)
  const settings = await client.call(readSettings)
  const key = call.parameters.key as string | undefined
  if (key === undefined) return call.out.result(settings, summarise(settings)) as undefined
  const about = Object.hasOwn(settings.metadata, key) ? settings.metadata[key] : undefined
  if (!about) throw new CommandError(`${key} is not a setting of this service; svc admin settings get shows all`, { exitCode: 2 })
  if (!about.editable) throw new CommandError(`${key} is read and changed in ${settings.config_path} only`, { exitCode: 2 })
  const value = valueAt(settings.config, key)
  call.out.result({ [key]: value ?? null }, writeValue(value))
}

/** By table, in the order of the service. */
function summarise({ metadata, config, config_path, restart_required, env_managed }: Settings): string {
  const editable = Object.entries(metadata).filter(([, { editable }]) => editable)
  const groups = Map.groupBy(editable, ([, { group }]) => group)
  const blocks = [...groups].map(([group, members]) => {
    const rows = members.map(([field, { label }]) => {
      const by = env_managed[field]
      return [field.slice(group.length + 1), showValue(valueAt(config, field)), by === undefined ? label : `${label} (set by ${by})`]
    })
    return `[${group}]\n${formatTable(['key', 'value', 'meaning'], rows)}`
  })
  return [`Config: ${config_path}`, `Restart required: ${restart_required ? 'yes' : 'no'}`, ...blocks.map((block) => `\n${block}`)].join(
    '\n',
  )
}
