import type { FileValue, Setting } from './setting.ts'

/** A value as typed or in a variable, in the form of the file. Returns invalid text unchanged, so that the rule names it in its message. */
export function readSettingText({ form }: Pick<Setting<unknown>, 'form'>, text: string): FileValue {
  if (form === 'integer') return /^-?\d+$/.test(text.trim()) ? Number(text) : text
  if (form === 'flag') return text === 'true' ? true : text === 'false' ? false : text
  if (form === 'list') return text.split(',').flatMap((entry) => entry.trim() || [])
  return text
}
