/** Settings as typed and printed. */
import { assignAt, type FileValue, readSettingText } from '#kernel/system'
import type { SettingAbout } from '../settings/settings-api.ts'

/** Typed text in the form of the file, a choice in its canonical spelling. Invalid text is passed on unchanged: the service reports what is allowed. */
export function readValue(text: string, { type, allowed }: Pick<SettingAbout, 'type' | 'allowed'>): FileValue {
  if (allowed) return allowed.find((value) => value.toLowerCase() === text.toLowerCase()) ?? text
  return readSettingText({ form: type }, text)
}

export const writeValue = (value: unknown): string => (Array.isArray(value) ? value.join(',') : String(value ?? ''))

/** Human-readable form. */
export const showValue = (value: unknown): string => (typeof value === 'boolean' ? (value ? 'yes' : 'no') : writeValue(value))

/** Dotted paths as nested objects, the form of the request. */
export function nest(values: Readonly<Record<string, FileValue>>): Record<string, unknown> {
  const tree: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(values)) assignAt(tree, field, value)
  return tree
}

/** Refused without --yes before anything is sent: the first spends real money, the second lets provider URLs reach the local network. */
const confirmedUnseen: Readonly<Record<string, string>> = {
  'chain.network': 'mainnet',
  'chain.allow_private_networks': 'true',
}

export const needsConfirmation = (field: string, text: string): boolean => confirmedUnseen[field] === text.trim().toLowerCase()

/** A setting that the service calls high-risk, unless it goes back to its default. */
export function isHighRisk({ risk, default: fallback }: Pick<SettingAbout, 'risk' | 'default'>, value: FileValue): boolean {
  return risk === 'high' && JSON.stringify(value) !== JSON.stringify(fallback)
}
