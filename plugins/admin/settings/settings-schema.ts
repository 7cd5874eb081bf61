import { type Section, settingSchema } from '#kernel/system'

type JsonSchema = Readonly<Record<string, unknown>>
interface TableSchema {
  readonly type: 'object'
  readonly properties: Record<string, JsonSchema | TableSchema>
  readonly additionalProperties: false
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
