/** Settings as typed: texts of the controls, and the changes that they make. */
import type { Answer } from '@svc/ui-kit'

export type Settings = Answer<'GET /settings'>
export type SettingAbout = Settings['metadata'][string]
/** Dotted path → text of its control: `true` and `false` for a flag, items with commas for a list. */
export type Texts = Readonly<Record<string, string>>
type SettingValue = string | number | boolean | readonly string[]

export interface SettingChange {
  readonly field: string
  readonly about: SettingAbout
  readonly from: string
  readonly to: string
}

/** The member of a nested table; undefined when the service sent none. */
export function valueAt(config: Readonly<Record<string, unknown>>, field: string): unknown {
  let at: unknown = config
  for (const name of field.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined
    at = (at as Readonly<Record<string, unknown>>)[name]
  }
  return at
}

export const toText = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : String(value ?? ''))

/** Text that is no value of its type is sent as it is: the service says what it must be. */
export function toValue(text: string, { type }: Pick<SettingAbout, 'type'>): SettingValue {
  const trimmed = text.trim()
  if (type === 'integer') return /^-?\d{1,16}$/.test(trimmed) ? Number(trimmed) : trimmed
  if (type === 'flag') return trimmed === 'true'
  if (type === 'list') return trimmed.split(/[,\s]+/).filter((item) => item !== '')
  return trimmed
}

/** The text of a control: typed, or of the settings that the next start loads. */
export const textOf = ({ config }: Pick<Settings, 'config'>, drafts: Texts, field: string): string =>
  drafts[field] ?? toText(valueAt(config, field))

/** What the drafts change, in the order of the settings. Text that means the same value is no change. */
export function listChanges(
  settings: Pick<Settings, 'config' | 'metadata' | 'env_managed' | 'defaults'>,
  drafts: Texts,
): readonly SettingChange[] {
  return Object.entries(settings.metadata).flatMap(([field, about]) => {
    const draft = drafts[field]
    if (draft === undefined || !about.editable || settings.env_managed[field] !== undefined) return []
    // The endpoint is still the default: it follows the network.
    if (field === 'chain.rpc_url' && about.source === 'default' && draft.trim() === publicEndpoint(settings, drafts)) return []
    const from = toText(valueAt(settings.config, field))
    return meaning(draft, about) === meaning(from, about) ? [] : [{ field, about, from, to: draft.trim() }]
  })
}

const meaning = (text: string, about: SettingAbout): string => JSON.stringify(toValue(text, about))

/** The body of a request: only what changes, nested like the file. */
export function toBody(changes: readonly Pick<SettingChange, 'field' | 'about' | 'to'>[]): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const { field, about, to } of changes) {
    const names = field.split('.')
    const last = names.pop() ?? field
    let table = body
    for (const name of names) {
      table[name] ??= {}
      table = table[name] as Record<string, unknown>
    }
    table[last] = toValue(to, about)
  }
  return body
}

/** A value for people. */
export const showText = (text: string, { type }: Pick<SettingAbout, 'type'>): string => {
  if (type === 'flag') return text === 'true' ? 'On' : 'Off'
  return text === '' ? 'Not set' : text
}

const preflightFields: readonly string[] = [
  'chain.network',
  'chain.rpc_url',
  'chain.with_cdn',
  'chain.allow_private_networks',
  'chain.default_copies',
  'chain.observability.interval',
  'chain.observability.timeout',
  'chain.observability.concurrency',
]

/** The part of the changes that the readiness checks take. */
export const preflightChanges = (changes: readonly SettingChange[]): readonly SettingChange[] =>
  changes.filter(({ field }) => preflightFields.includes(field))

/** Drafts after one control changed: another network brings its own public endpoint, unless another endpoint was chosen. */
export function changeText(settings: Pick<Settings, 'config' | 'defaults'>, drafts: Texts, field: string, text: string): Texts {
  const next = { ...drafts, [field]: text }
  if (field !== 'chain.network') return next
  const urls = publicEndpoints(settings)
  const before = urls[textOf(settings, drafts, 'chain.network')]
  const after = urls[text]
  const current = textOf(settings, drafts, 'chain.rpc_url')
  return before !== undefined && after !== undefined && current === before ? { ...next, 'chain.rpc_url': after } : next
}

/** The endpoint that is used while `chain.rpc_url` is not set. */
export const publicEndpoint = (settings: Pick<Settings, 'config' | 'defaults'>, drafts: Texts): string | undefined =>
  publicEndpoints(settings)[textOf(settings, drafts, 'chain.network')]

function publicEndpoints({ defaults }: Pick<Settings, 'defaults'>): Readonly<Record<string, string | undefined>> {
  const urls = defaults.chain_rpc_urls
  return typeof urls === 'object' && urls !== null ? (urls as Readonly<Record<string, string>>) : {}
}
