/** The limits of an S3 user as a form has them: empty is that of the settings, `none` no limit. */
import type { S3User } from './user-policy.ts'

type LimitName = keyof S3User['limits']
export type LimitTexts = Record<LimitName, string>

const gibBytes = 2 ** 30
const factorOf = (name: LimitName) => (name === 'bytes' ? gibBytes : 1)

export const limitFields: readonly { readonly name: LimitName; readonly label: string }[] = [
  { name: 'buckets', label: 'Most buckets' },
  { name: 'objects', label: 'Most object versions' },
  { name: 'bytes', label: 'Most GiB in all versions' },
  { name: 'data_sets_per_day', label: 'Most new data sets a day' },
]

/** Own limits as texts; reads back as the same limits. */
export function writeLimits({ limits, own_limits }: Pick<S3User, 'limits' | 'own_limits'>): LimitTexts {
  const textOf = (name: LimitName) => {
    const limit = limits[name]
    if (!own_limits.includes(name)) return ''
    return limit === null ? 'none' : String(limit / factorOf(name))
  }
  return { buckets: textOf('buckets'), objects: textOf('objects'), bytes: textOf('bytes'), data_sets_per_day: textOf('data_sets_per_day') }
}

/** Null is that of the settings, 0 no limit. Undefined when a text is neither these nor a number above 0. */
export function readLimits(texts: LimitTexts): Record<LimitName, number | null> | undefined {
  const read = limitFields.map(({ name }) => [name, readLimit(texts[name].trim(), name)] as const)
  return read.some(([, limit]) => Number.isNaN(limit)) ? undefined : (Object.fromEntries(read) as Record<LimitName, number | null>)
}

function readLimit(text: string, name: LimitName): number | null {
  if (text === '') return null
  if (text === 'none') return 0
  const pattern = name === 'bytes' ? /^\d+(\.\d+)?(e-\d+)?$/ : /^\d+$/
  const limit = pattern.test(text) ? Math.round(Number(text) * factorOf(name)) : Number.NaN
  return Number.isSafeInteger(limit) && limit > 0 ? limit : Number.NaN
}
