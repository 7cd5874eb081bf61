import { usageError } from '#cli'

export function readPackId(text: string): string {
  if (!/^[1-9]\d{0,15}$/.test(text) || Number(text) > Number.MAX_SAFE_INTEGER) throw usageError(`invalid pack id "${text}"`)
  return text
}
