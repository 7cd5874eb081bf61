/** Renders the configuration file of `svc init`: every key with its meaning, default and variable. */

import { envName, type FileValue, type Section, type Setting } from '#kernel/system'

/** Order of the tables. Tables of other plugins follow, then `[plugins]`. */
const firstTables = [
  'server',
  'server.tls',
  's3',
  'chain',
  'chain.observability',
  'database',
  'cache',
  'worker.tasks',
  'logging',
  'logging.s3_access',
  'admin',
  'admin.auth',
]
const lastTable = 'plugins'
const lineWidth = 100

interface TemplateRequest {
  readonly sections: readonly Section[]
  readonly dataDir: string
  /** Values to set, by dotted path. Required settings, and those declared `written`, are set without being listed here. */
  readonly values: Readonly<Record<string, FileValue>>
}

export function renderConfigTemplate(request: TemplateRequest): string {
  return `${[header, ...orderSections(request.sections).map((section) => renderSection(section, request))].join('\n\n')}\n`
}

const header = [
  '# Configuration of svc. A value in the environment wins over this file, and this file over the built-in default.',
  '# A line that starts with "# key =" shows the default; remove the "# " to change it. Every change needs a restart.',
].join('\n')

/** Sorts as in the file and on the settings page. */
export function orderSections(sections: readonly Section[]): readonly Pick<Section, 'path' | 'doc' | 'keys'>[] {
  const tables = [...Map.groupBy(sections, ({ path }) => path)].map(([path, parts]) => ({
    path,
    doc: parts[0]?.doc ?? '',
    keys: Object.assign({}, ...parts.map(({ keys }) => keys)) as Section['keys'],
  }))
  return tables.sort((a, b) => rankOf(a.path) - rankOf(b.path))
}

function rankOf(path: string): number {
  if (path === lastTable) return firstTables.length + 1
  const rank = firstTables.indexOf(path)
  return rank === -1 ? firstTables.length : rank
}

function renderSection(section: Pick<Section, 'path' | 'doc' | 'keys'>, request: TemplateRequest): string {
  const keys = Object.entries(section.keys).map(([key, setting]) => renderKey(`${section.path}.${key}`, setting, request))
  return [`${comment(section.doc)}\n[${section.path}]`, ...keys].join('\n\n')
}

function renderKey(field: string, setting: Setting<unknown>, { dataDir, values }: TemplateRequest): string {
  const key = field.slice(field.lastIndexOf('.') + 1)
  const fallback = typeof setting.fallback === 'function' ? setting.fallback({ dataDir }) : setting.fallback
  const given = values[field]
  const isLive = given !== undefined || setting.written || setting.required
  // The default of a secret is not shown, so that it is not taken for the operator's own.
  const shown = given ?? (setting.secret && !isLive ? '' : fallback)
  return [
    comment(setting.doc),
    comment(aboutKey(field, setting)),
    `${isLive && shown !== undefined ? '' : '# '}${key} = ${shown === undefined ? '' : renderValue(shown)}`.trimEnd(),
  ].join('\n')
}

function aboutKey(field: string, setting: Setting<unknown>): string {
  const about = [`Environment: ${envName(field)}.`]
  if (setting.required) about.push('Required: without it the service starts in setup mode.')
  if (setting.secret) about.push('Secret.')
  const allowed = allowedValues(setting)
  if (allowed) about.push(`Allowed: ${allowed}.`)
  return about.join(' ')
}

const formHints = {
  text: undefined,
  integer: undefined,
  flag: 'true, false',
  list: undefined,
  duration: 'a duration such as 90s, 5m or 1h30m',
}

/** Returns undefined when any text is allowed. */
export function allowedValues(setting: Setting<unknown>): string | undefined {
  const hint = formHints[setting.form]
  if (hint !== undefined || setting.form === 'list') return hint
  const { expected } = setting.rule
  return expected === 'a string' ? undefined : expected.replaceAll(' and ', ', ')
}

/** TOML writes basic strings, numbers and inline lists as JSON does. */
const renderValue = (value: FileValue): string =>
  Array.isArray(value) ? `[${value.map((v) => JSON.stringify(v)).join(', ')}]` : JSON.stringify(value)

function comment(text: string): string {
  const lines: string[] = []
  let line = '#'
  for (const word of text.split(/\s+/)) {
    if (line.length + word.length + 1 > lineWidth && line !== '#') {
      lines.push(line)
      line = '#'
    }
    line += ` ${word}`
  }
  return [...lines, line].join('\n')
}
