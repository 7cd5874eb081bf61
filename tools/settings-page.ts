/** Writes docs/reference/settings.md: every key of the configuration with all that the code knows about it. */
import { defaultOf, envName, type FileValue, type Section, type Setting } from '#kernel'
import { allowedValues, orderSections } from '../cli/config-template.ts'

const head = `# Settings

Every key of \`config.toml\`. A flag (\`svc serve --set key=value\`, not for secrets) wins over the environment, the environment over the file, and the
file over the default. Every change takes effect at the next start. "API" tells whether the Admin API and \`svc admin settings set\` may
change the key; "risk" how much care a change needs. This page is written by \`npm run docs\`.
`

export function writeSettingsPage(sections: readonly Section[]): string {
  return [head, ...orderSections(sections).map(writeSection)].join('\n')
}

function writeSection({ path, doc, keys }: Section): string {
  const rows = Object.entries(keys).map(([key, setting]) => writeRow(`${path}.${key}`, setting))
  return `## ${path}\n\n${doc}\n\n| Key | Environment | Default | API | Risk | What it is |\n|---|---|---|---|---|---|\n${rows.join('\n')}\n`
}

function writeRow(field: string, setting: Setting<unknown>): string {
  const cells = [
    `\`${field}\``,
    `\`${envName(field)}\``,
    writeDefault(setting),
    setting.editable ? 'yes' : 'no',
    setting.risk === 'none' ? '–' : setting.risk,
    describe(setting),
  ]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

/** The data directory stands for itself, so that the page is the same on every machine. */
function writeDefault(setting: Setting<unknown>): string {
  if (setting.secret) return 'secret'
  const fallback = defaultOf(setting, '<data directory>')
  return fallback === undefined ? '–' : `\`${writeValue(fallback)}\``
}

const writeValue = (value: FileValue): string => JSON.stringify(value).replaceAll('","', '", "')

function describe(setting: Setting<unknown>): string {
  const allowed = allowedValues(setting)
  return [
    setting.doc,
    ...(setting.required ? ['Required: without it the service starts in setup mode.'] : []),
    ...(allowed === undefined ? [] : [`Allowed: ${allowed}.`]),
  ].join(' ')
}
