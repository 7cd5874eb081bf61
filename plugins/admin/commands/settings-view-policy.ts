/** Settings as tables and blocks. */
import { formatFacts, formatTable } from '#cli'
import { valueAt } from '#kernel/system'
import type { SettingAbout, Settings } from '../settings/settings-api.ts'
import { showValue } from './setting-text-policy.ts'

/** The value after the next start. */
export const valueInUse = ({ config }: Settings, field: string): unknown => valueAt(config, field)

export function listSections(settings: Settings): string {
  const groups = Map.groupBy(editableOf(settings), ([, { group }]) => group)
  const head = formatFacts([
    ['Config', settings.config_path],
    ['Restart required', settings.restart_required ? 'yes' : 'no'],
  ])
  return [head, ...[...groups.keys()].map((group) => `[${group}]\n${tableOf(settings, group, ({ label }) => label)}`)].join('\n\n')
}

export const describeSection = (settings: Settings, path: string): string => tableOf(settings, path, ({ description }) => description)

export function describeSetting(settings: Settings, field: string): string {
  const about = settings.metadata[field] as SettingAbout
  return formatFacts([
    ['Setting', field],
    ['Value', showValue(valueInUse(settings, field)) || '(empty)'],
    ['Source', sourceText(settings, field)],
    ['Default', showValue(defaultOf(settings, field)) || '(none)'],
    ['Allowed', about.allowed?.join(', ')],
    ['Environment variable', about.env],
    ['Meaning', about.description],
  ])
}

function tableOf(settings: Settings, path: string, meaning: (about: SettingAbout) => string): string {
  const rows = editableOf(settings)
    .filter(([, { group }]) => group === path)
    .map(([field, about]) => [
      field.slice(path.length + 1),
      showValue(valueInUse(settings, field)),
      sourceText(settings, field),
      showValue(defaultOf(settings, field)),
      meaning(about),
    ])
  return formatTable(['key', 'value', 'source', 'default', 'meaning'], rows)
}

const editableOf = ({ metadata }: Settings) => Object.entries(metadata).filter(([, { editable }]) => editable)

const defaultOf = ({ metadata }: Settings, field: string): unknown => metadata[field]?.default

const sourceNames = { default: 'default', file: 'file', env: 'environment', flag: 'flag' } as const

function sourceText({ metadata, env_managed }: Settings, field: string): string {
  const name = sourceNames[metadata[field]?.source ?? 'default']
  const by = env_managed[field]
  return by === undefined ? name : `${name} (${by})`
}
