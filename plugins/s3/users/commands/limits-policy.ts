import { usageError } from '#cli'
import type { LimitName } from '../../contract.ts'

const flags = {
  buckets: ['buckets', '--buckets'],
  objects: ['objects', '--objects'],
  bytes: ['bytes', '--bytes'],
  dataSetsPerDay: ['data_sets_per_day', '--data-sets-per-day'],
} as const satisfies Record<string, readonly [LimitName, string]>

export type LimitFlags = Readonly<Record<keyof typeof flags, string | undefined>>

/** `none` is 0, and `default` null. Throws CommandError with exit code 2. */
export function readLimits(given: Partial<LimitFlags>): Partial<Record<LimitName, number | null>> {
  const read = Object.entries(flags).flatMap(([flag, [name, shown]]) => {
    const text = given[flag as keyof LimitFlags]
    return text === undefined ? [] : [[name, readLimit(text, shown)] as const]
  })
  return Object.fromEntries(read)
}

function readLimit(text: string, flag: string): number | null {
  if (text === 'default') return null
  if (text === 'none') return 0
  const value = Number(text)
  if (/^\d+$/.test(text) && value > 0 && Number.isSafeInteger(value)) return value
  throw usageError(`${flag} must be a whole number from 1, none or default, not "${text}"`)
}
