/** The tabs of the settings: one per table of the file, as the service lists them. */
import type { SettingAbout, Settings } from './draft-policy.ts'

export interface SettingGroup {
  /** Table of the file, such as `chain.observability`. */
  readonly path: string
  /** Empty for what can be changed in the table of the tab itself. */
  readonly title: string
  /** Changed in the file or the environment only. */
  readonly isManual: boolean
  readonly fields: readonly (readonly [field: string, about: SettingAbout])[]
}

export interface SettingTab {
  readonly id: string
  readonly label: string
  readonly groups: readonly SettingGroup[]
}

const labels: Readonly<Record<string, string>> = {
  s3: 'S3',
  server: 'Server',
  chain: 'Chain',
  cache: 'Cache',
  worker: 'Tasks',
  logging: 'Logging',
  plugins: 'Plugins',
  database: 'Database',
  admin: 'Admin API',
}
const groupTitles: Readonly<Record<string, string>> = {
  'server.tls': 'TLS',
  'logging.s3_access': 'S3 access log',
  'chain.observability': 'Observation of providers',
  'chain.spending': 'Limits of spending',
  'admin.auth': 'Sign-in',
}
const order = Object.keys(labels)

/** Tabs in a fixed order, those of third-party plugins last. */
export function listTabs(metadata: Settings['metadata']): readonly SettingTab[] {
  const byTab = Map.groupBy(Object.entries(metadata), ([field]) => tabOf(field))
  return [...byTab]
    .map(([id, fields]) => ({ id, label: labels[id] ?? toTitle(id), groups: listGroups(id, fields) }))
    .sort((a, b) => placeOf(a.id) - placeOf(b.id))
}

const tabOf = (field: string): string => field.split('.', 1)[0] ?? field

const placeOf = (id: string): number => (order.includes(id) ? order.indexOf(id) : order.length)

/** What can be changed comes first; secrets are never changed here. */
function listGroups(tab: string, fields: SettingGroup['fields']): readonly SettingGroup[] {
  const groups = [...Map.groupBy(fields, ([, { group }]) => group)].flatMap(([path, members]) => {
    const title = path === tab ? '' : (groupTitles[path] ?? (path === 'worker.tasks' ? '' : toTitle(path.slice(tab.length + 1))))
    const manual = members.filter(([, about]) => isManual(about))
    const editable = members.filter(([, about]) => !isManual(about))
    return [
      { path, title, isManual: false, fields: editable },
      { path, title: title === '' ? 'In the configuration file' : title, isManual: true, fields: manual },
    ]
  })
  return groups.filter(({ fields: found }) => found.length > 0).sort((a, b) => rankOf(a) - rankOf(b))
}

const isManual = ({ editable, secret }: SettingAbout): boolean => !editable || secret

const rankOf = ({ title, isManual: isLast }: SettingGroup): number => (isLast ? 2 : title === '' ? 0 : 1)

const toTitle = (path: string): string => {
  const words = path.replaceAll(/[._-]+/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Dotted path → what is wrong with it. The first problem of a setting is shown. */
export type FieldErrors = Readonly<Record<string, string>>

export function toErrors(problems: readonly { readonly field: string; readonly message: string }[]): FieldErrors {
  const errors: Record<string, string> = {}
  for (const { field, message } of problems) errors[field] ??= message
  return errors
}

/**
 * The problems to show: with changes, those of the checked draft, and of settings that only the file can change; without, those of the
 * saved settings.
 */
export function problemsOf(settings: Pick<Settings, 'metadata' | 'validation_errors'>, checked: FieldErrors | undefined): FieldErrors {
  const saved = toErrors(settings.validation_errors ?? [])
  if (!checked) return saved
  const manual = Object.entries(saved).filter(([field]) => settings.metadata[field]?.editable !== true)
  return { ...Object.fromEntries(manual), ...checked }
}

/** Settings with a problem that this page cannot mend, such as a missing wallet key. */
export const manualProblems = (settings: Pick<Settings, 'metadata'>, errors: FieldErrors): readonly string[] =>
  Object.keys(errors).filter((field) => settings.metadata[field]?.editable !== true)

/** Words for screen readers on a tab that holds a problem. */
export function tabProblem(tab: string, errors: FieldErrors): string | undefined {
  const count = Object.keys(errors).filter((field) => tabOf(field) === tab).length
  if (count === 0) return undefined
  return count === 1 ? '1 setting needs attention' : `${count} settings need attention`
}
