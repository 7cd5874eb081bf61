import { type LimitName, type Limits, limitNames, type S3User } from '../contract.ts'
import type { S3LimitSettings } from '../settings.ts'

const limitsBy = (of: (name: LimitName) => number) => Object.fromEntries(limitNames.map((name) => [name, of(name)])) as Limits

/** The limits of a user; the settings have those that it has no own ones for. */
export const userLimits = ({ ownLimits = {} }: Pick<S3User, 'ownLimits'>, settings: S3LimitSettings): Limits =>
  limitsBy((name) => ownLimits[name] ?? settings[`user_${name}`])

export const totalLimits = (settings: S3LimitSettings): Limits => limitsBy((name) => settings[`total_${name}`])

/** Null removes a limit of its own. Undefined without any. */
export function changeOwnLimits(
  current: Partial<Limits> | undefined,
  changes: Partial<Readonly<Record<LimitName, number | null>>>,
): Partial<Limits> | undefined {
  const changed = limitNames.flatMap((name) => {
    const value = changes[name] === undefined ? current?.[name] : changes[name]
    return value === undefined || value === null ? [] : [[name, value] as const]
  })
  return changed.length === 0 ? undefined : Object.fromEntries(changed)
}
