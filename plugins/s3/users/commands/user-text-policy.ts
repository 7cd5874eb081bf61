import { formatFacts, formatSize, formatTable } from '#cli'
import type { S3Credentials, S3UserItem } from '../user-api.ts'

export function formatUsers(users: readonly S3UserItem[]): string {
  const rows = users.map(({ access_key, role, usage, limits, owner_id }) => [
    access_key,
    role,
    used(usage.buckets, limits.buckets),
    used(usage.objects, limits.objects),
    used(usage.bytes, limits.bytes, formatSize),
    owner_id,
  ])
  return formatTable(['access_key', 'role', 'buckets', 'versions', 'size', 'owner_id'], rows)
}

/** Returns a text such as `3/10`, or `3` without a limit. */
const used = (value: number, limit: number | null, show: (value: number) => string = String): string =>
  limit === null ? show(value) : `${show(value)}/${show(limit)}`

export const formatLimits = ({ access_key, own_limits, ...compared }: S3UserItem): string =>
  `${formatFacts([['Access key', access_key]])}\n${formatCompared(compared, (name) => (own_limits.includes(name) ? ' (own limit)' : ' (from the settings)'))}`

export const formatTotals = (totals: Compared): string => formatCompared(totals, () => '')

type Compared = Pick<S3UserItem, 'usage' | 'limits'>

function formatCompared({ usage, limits }: Compared, originOf: (name: keyof S3UserItem['limits']) => string): string {
  const of = (value: number, name: keyof S3UserItem['limits']) =>
    `${value}, ${limits[name] === null ? 'no limit' : `limit ${limits[name]}`}${originOf(name)}`
  return formatFacts([
    ['Buckets', of(usage.buckets, 'buckets')],
    ['Object versions', of(usage.objects, 'objects')],
    ['Bytes', of(usage.bytes, 'bytes')],
    ['New data sets today', of(usage.data_sets_today, 'data_sets_per_day')],
  ])
}

export function formatCredentials(title: string, { access_key, secret_key, role }: S3Credentials): string {
  return [title, `Access key: ${access_key}`, `Secret key: ${secret_key}`, `Role: ${role}`].join('\n')
}
