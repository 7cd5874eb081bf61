import { durationPattern } from './duration.ts'
import type { Setting } from './setting.ts'
import type { ValueRule } from './value-rule.ts'

type JsonSchema = Readonly<Record<string, unknown>>

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
