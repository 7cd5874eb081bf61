/** Reads a nested change of settings as dotted paths. */
import type { FieldError, FileValue, Section } from '#kernel'

export interface SettingChanges {
  /** Dotted path → the value that was sent, not yet checked against its schema. */
  readonly values: Readonly<Record<string, FileValue>>
  /** Names that cannot be changed here. */
  readonly problems: readonly FieldError[]
}

export function readChanges(body: object, sections: readonly Section[]): SettingChanges {
  const values: Record<string, FileValue> = {}
  const problems: FieldError[] = []
  for (const [field, value] of listLeaves(body, '', sections)) {
    const message = whyRefused(field, value, sections)
    if (message === undefined) values[field] = value as FileValue
    else problems.push({ field, message })
  }
  return { values, problems }
}

function listLeaves(table: object, path: string, sections: readonly Section[]): readonly (readonly [field: string, value: unknown])[] {
  return Object.entries(table).flatMap(([name, value]) => {
    const field = path === '' ? name : `${path}.${name}`
    return isTable(field, value, sections) ? listLeaves(value, field, sections) : [[field, value] as const]
  })
}

function whyRefused(field: string, value: unknown, sections: readonly Section[]): string | undefined {
  const setting = findSetting(field, sections)
  if (!setting) return 'is not a setting of this service'
  if (!setting.editable) return 'is changed in the configuration file only'
  return value === null ? 'must have a value' : undefined
}

function findSetting(field: string, sections: readonly Section[]) {
  const dot = field.lastIndexOf('.')
  const section = sections.find(({ path }) => path === field.slice(0, Math.max(dot, 0)))
  const name = field.slice(dot + 1)
  return section && Object.hasOwn(section.keys, name) ? section.keys[name] : undefined
}

function isTable(field: string, value: unknown, sections: readonly Section[]): value is object {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject && sections.some(({ path }) => path === field || path.startsWith(`${field}.`))
}
