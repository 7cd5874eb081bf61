import { durationPattern } from './duration.ts'
import type { Section } from './section.ts'
import type { Setting } from './setting.ts'
import type { ValueRule } from './value-rule.ts'

type JsonSchema = Readonly<Record<string, unknown>>
interface TableSchema {
  readonly type: 'object'
  readonly properties: Record<string, JsonSchema | TableSchema>
  readonly additionalProperties: false
}

/** The file form of a setting as JSON Schema. Checks that JSON Schema cannot express are left out. */
export function settingSchema({ rule, form, doc }: Setting<unknown>): JsonSchema {
  return { ...typeSchema(form, rule), description: doc }
}

function typeSchema(form: Setting<unknown>['form'], { allowed, min, max, pattern }: ValueRule): JsonSchema {
  if (allowed) return { enum: allowed }
  if (form === 'flag') return { type: 'boolean' }
  if (form === 'list') return { type: 'array', items: { type: 'string' } }
  if (form === 'integer') return { type: 'integer', ...(min !== undefined && { minimum: min }), ...(max !== undefined && { maximum: max }) }
  const required = form === 'duration' ? durationPattern.source : pattern
  return { type: 'string', ...(required !== undefined && { pattern: required }) }
}

/** The editable settings as JSON Schema, nested like the file. Secrets are left out. */
export function settingsSchema(sections: readonly Section[]): JsonSchema {
  const root = table()
  for (const { path, keys } of sections) {
    const editable = Object.entries(keys).filter(([, { editable, secret }]) => editable && !secret)
    if (editable.length === 0) continue
    const place = path.split('.').reduce((at, word) => {
      at.properties[word] ??= table()
      return at.properties[word] as TableSchema
    }, root)
    for (const [key, setting] of editable) place.properties[key] = settingSchema(setting)
  }
  return { ...root }
}

const table = (): TableSchema => ({ type: 'object', properties: {}, additionalProperties: false })
