import type { SettingGroup, SettingTab } from './tabs-policy.ts'

/** The settings whose path, label, description or environment variable contains every word of the text, under the titles of their tabs. */
export function findSettings(tabs: readonly SettingTab[], text: string): readonly SettingGroup[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return tabs.flatMap(({ label, groups }) =>
    groups.flatMap(({ path, title, isManual, fields }) => {
      const found = fields.filter(([field, about]) => {
        const described = `${field} ${about.label} ${about.description} ${about.env}`.toLowerCase()
        return words.every((word) => described.includes(word))
      })
      return found.length === 0 ? [] : [{ path, title: title === '' ? label : `${label}: ${title}`, isManual, fields: found }]
    }),
  )
}
