import { type SettingAbout, type SettingChange, toText } from './draft-policy.ts'

/** The word to type before changes that spend real money, open the local network to providers or switch parts off. */
export const saveWord = 'SAVE'

/** What an operator should know before the change; of settings with a risk. */
const reasons: Readonly<Record<string, string>> = {
  'chain.network': 'Another network has other contracts, balances and data sets. Objects stored so far stay on their network.',
  'chain.allow_private_networks': 'Provider URLs may then reach private and loopback addresses of this machine and its network.',
  'chain.rpc_url': 'All balances, payments and storage confirmations are read through this node.',
  'chain.default_copies': 'New buckets pay for this many copies. Buckets that exist keep their own number.',
  'plugins.disabled': 'A disabled plugin answers no requests and runs no tasks. Its data stays.',
  'cache.dir': 'The cached bytes are not moved. Objects without copies at providers cannot be read until they are.',
  'cache.max_size_gb': 'A full cache refuses uploads until bytes are evicted.',
  'cache.eviction_policy': 'It decides when the local bytes of stored objects are deleted.',
  'server.port': 'S3 clients must use the new address.',
  'server.tls.enabled': 'S3 clients must change between http and https.',
  'server.max_connections': 'More open connections need more memory and file descriptors.',
  'server.max_requests': 'More requests at a time need more memory.',
  's3.region': 'Clients that sign for the old region are refused, unless it is us-east-1.',
  's3.bucket_deletion': 'Owners may delete empty buckets, and the storage services of these end.',
  's3.object_sizes': 'Small objects are padded at providers, and large ones become several pieces.',
}

export const reasonOf = ({ field, about }: Pick<SettingChange, 'field' | 'about'>): string | undefined =>
  about.risk === 'none' ? undefined : (reasons[field] ?? 'It changes how the gateway serves and stores objects.')

/** A choice of high risk is one in every direction; a switch or a list only away from its default. */
export function isHighRisk({ about, to }: Pick<SettingChange, 'about' | 'to'>): boolean {
  if (about.risk !== 'high') return false
  return about.type === 'text' || to !== toText(about.default)
}

export const levelOf = (changes: readonly SettingChange[]): 'review' | 'typed' => (changes.some(isHighRisk) ? 'typed' : 'review')

const policySettings: readonly string[] = ['cache.lru_high_watermark_percent', 'cache.lru_low_watermark_percent', 'cache.fill_on_read']

/** Why a setting has no effect with the other values; it stays visible with its value. */
export function whyInactive(field: string, read: (field: string) => string): string | undefined {
  if (policySettings.includes(field) && read('cache.eviction_policy') !== 'lru') {
    return 'Inactive: used by the eviction policy lru only.'
  }
  if (field === 'logging.s3_access.level' && read('logging.s3_access.enabled') === 'false') return 'Inactive: the S3 access log is off.'
  if ((field === 'server.tls.cert_file' || field === 'server.tls.key_file') && read('server.tls.enabled') === 'false') {
    return 'Inactive: TLS is off.'
  }
  return undefined
}

export function describeLimits({ type, min, max, allowed, default: fallback, secret }: SettingAbout): string {
  const parts = [
    type === 'duration' ? 'Such as 90s, 5m or 1h30m' : undefined,
    type === 'list' ? 'Separated by commas' : undefined,
    allowed || min === undefined ? undefined : max === undefined ? `At least ${min}` : `${min} to ${max}`,
    secret || fallback === undefined || toText(fallback) === '' ? undefined : `Default: ${showDefault(fallback)}`,
  ]
  return parts.filter((part) => part !== undefined).join(' · ')
}

const showDefault = (value: unknown): string => (value === true ? 'on' : value === false ? 'off' : toText(value))
