/** Reads a nested change of settings as dotted paths. */
import type { FieldError, FileValue, Section } from '#kernel/system'

export interface SettingChanges {
  /** Dotted path → the value that was sent, a choice in its canonical spelling; not yet checked against its rule. */
  readonly values: Readonly<Record<string, FileValue>>
  /** Names that cannot be changed here. */
  readonly problems: readonly FieldError[]
}

export function readChanges(body: object, sections: readonly Section[]): SettingChanges {
  const values: Record<string, FileValue> = {}
  const problems: FieldError[] = []
  for (const leaf of listLeaves(body, '', sections)) {
    const { field, value } = leaf
    const message = whyRefused(leaf, sections)
    if (message === undefined) values[field] = (findSetting(field, sections)?.normalize(value) ?? value) as FileValue
    else problems.push({ field, message })
  }
  return { values, problems }
}

interface Leaf {
  readonly field: string
  readonly value: unknown
  /** False for `"chain.network"` in one word: a second spelling of a setting, which could contradict the first. */
  readonly isNested: boolean
}

function listLeaves(table: object, path: string, sections: readonly Section[]): readonly Leaf[] {
  return Object.entries(table).flatMap(([name, value]) => {
    const field = path === '' ? name : `${path}.${name}`
    const isNested = !name.includes('.')
    return isNested && isTable(field, value, sections) ? listLeaves(value, field, sections) : [{ field, value, isNested }]
  })
}

function whyRefused({ field, value, isNested }: Leaf, sections: readonly Section[]): string | undefined {
  if (!isNested) return 'must be nested, one object for each table'
  if (isTableName(field, sections)) return 'must be an object'
  const setting = findSetting(field, sections)
  if (!setting) return 'is not a setting of this service'
  if (!setting.editable) return 'is changed in the configuration file only'
  return value === null ? 'must have a value' : undefined
}

function findSetting(field: string, sections: readonly Section[]) {
  const dot = field.lastIndexOf('.')
  const name = field.slice(dot + 1)
  const owner = sections.find(({ path, keys }) => path === field.slice(0, Math.max(dot, 0)) && Object.hasOwn(keys, name))
  return owner?.keys[name]
}

function isTable(field: string, value: unknown, sections: readonly Section[]): value is object {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject && isTableName(field, sections)
}

const isTableName = (field: string, sections: readonly Section[]): boolean =>
  sections.some(({ path }) => path === field || path.startsWith(`${field}.`))
