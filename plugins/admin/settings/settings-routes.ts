import { defineRoutes, serveEndpoint } from '#kernel'
import {
  type ConfigState,
  type Contributions,
  configState,
  contributions,
  type FieldError,
  limits,
  restart,
  saveConfigFile,
  settingDefaults,
  systemState,
} from '#kernel/system'
import { adminErrors } from '../errors.ts'
import { describeSettings, managedFields } from './describe-settings.ts'
import { readChanges, type SettingChanges } from './read-changes-policy.ts'
import { whyDisablingIsRefused } from './serving-plugins-policy.ts'
import { readSettings, saveSettings, validateSettings } from './settings-api.ts'

/** Served also in setup mode, where missing settings are supplied. */
export const settingsRoutes = defineRoutes({
  name: 'settings',
  modes: ['setup', 'full'],
  uses: { configState, systemState, contributions, restart },
  endpoints: [readSettings, saveSettings, validateSettings],
  register(app, { configState, systemState, contributions, restart }) {
    let isSaved = false
    const describe = async () => {
      const now = configState.reload()
      const [defaults, dependent] = await Promise.all([loadDefaults(contributions), loadDependent(contributions, now.raw)])
      return describeSettings({
        state: configState,
        now,
        system: systemState,
        isSupervised: restart.isSupervised,
        isSaved,
        defaults,
        dependent,
      })
    }

    const check = (changes: SettingChanges): readonly FieldError[] => {
      const message = whyDisablingIsRefused(changes.values['plugins.disabled'] ?? [], systemState.plugins)
      if (message !== undefined) return [{ field: 'plugins.disabled', message }]
      return checkChanges(configState, changes)
    }

    serveEndpoint(app, readSettings, describe)

    serveEndpoint(app, saveSettings, async ({ body }) => {
      const changes = requireKnown(readChanges(body, configState.sections))
      const problems = check(changes)
      if (problems.length > 0) throw invalid(problems)
      // No await since the check, so that no other change can happen in between.
      saveConfigFile(configState.loaded.path, changes.values)
      isSaved = true
      return describe()
    })

    serveEndpoint(app, validateSettings, async ({ body }) => ({
      validation_errors: check(requireKnown(readChanges(body, configState.sections))).slice(0, limits.listedProblemsMax),
    }))
  },
})

async function loadDefaults(contributions: Contributions): Promise<Record<string, unknown>> {
  const parts = contributions.to(settingDefaults).map(async ({ item }) => [item.name, await item.load()] as const)
  return Object.fromEntries(await Promise.all(parts))
}

async function loadDependent(contributions: Contributions, values: ReadonlyMap<string, unknown>): Promise<ReadonlyMap<string, string>> {
  const parts = contributions.to(settingDefaults).map(async ({ item }) => [item.field, await item.defaultWith(values)] as const)
  return new Map((await Promise.all(parts)).flatMap(([field, value]) => (value === undefined ? [] : [[field, value] as const])))
}

/** Unknown names are an error of the request, also when it is only validated. */
function requireKnown(changes: SettingChanges): SettingChanges {
  if (changes.problems.length > 0) throw invalid(changes.problems)
  return changes
}

/**
 * Problems that prevent saving. The file is checked without the environment, because it must be valid without it too. Earlier problems of
 * settings that cannot be changed here, such as a missing wallet key, are ignored; new problems are not, or the service might not start
 * again.
 */
function checkChanges(state: ConfigState, { values }: SettingChanges): readonly FieldError[] {
  const managed = managedFields(state.reload())
  const refused = Object.keys(values).flatMap((field) => {
    const by = managed[field]
    return by === undefined ? [] : [{ field, message: `is managed by ${by}` }]
  })
  const editable = new Set(
    state.sections.flatMap(({ path, keys }) =>
      Object.entries(keys).flatMap(([key, setting]) => (setting.editable ? `${path}.${key}` : [])),
    ),
  )
  const before = new Set(state.preview({}).problems.map(({ field }) => field))
  const wrong = state.preview(values).problems.filter(({ field }) => editable.has(field) || !before.has(field))
  return [...refused, ...wrong.map(({ field, message }) => ({ field, message }))]
}

function invalid(problems: readonly FieldError[]) {
  const fields = problems.slice(0, limits.listedProblemsMax)
  const more = problems.length > fields.length ? `; and ${problems.length - fields.length} more problems` : ''
  const message = `${fields.map(({ field, message }) => `${field} ${message}`).join('; ')}${more}`
  return adminErrors.settings_invalid({ message, fields })
}
