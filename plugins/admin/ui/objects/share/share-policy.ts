import type { Answer } from '@svc/ui-kit'

type S3Address = Answer<'GET /s3-address'>
type S3User = Answer<'GET /s3-users'>[number]

const everyInterface: readonly string[] = ['', '0.0.0.0', '[::]', '::']

/** Where clients find the S3 API. A listener on every interface is reached by the name that the browser uses. */
export function endpointOf({ listens_on, tls }: S3Address, hostname: string): string {
  const colon = listens_on.lastIndexOf(':')
  const host = listens_on.slice(0, Math.max(colon, 0))
  return `${tls ? 'https' : 'http'}://${everyInterface.includes(host) ? hostname : host}:${listens_on.slice(colon + 1)}`
}

/** Who may sign links to the objects of a bucket: its owner, then the admins. */
export const signersOf = <U extends Pick<S3User, 'access_key' | 'role'>>(users: readonly U[], owner: string | null): readonly U[] => [
  ...users.filter(({ access_key }) => access_key === owner),
  ...users.filter(({ access_key, role }) => role === 'admin' && access_key !== owner),
]

const encodePath = (key: string): string => key.split('/').map(encodeURIComponent).join('/')

export const s3UriOf = (bucket: string, key: string): string => `s3://${bucket}/${key}`
export const objectUrlOf = (endpoint: string, bucket: string, key: string): string =>
  `${endpoint.replace(/\/$/, '')}/${bucket}/${encodePath(key)}`

export const expiries = [
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '259200', label: '3 days' },
  { value: '604800', label: '7 days' },
] as const
