/** The configuration file of ceph/s3-tests. */
import type { S3User } from '../fixtures/s3-client.ts'

interface SuiteUser extends S3User {
  readonly owner_id: string
}

export interface SuiteUsers {
  readonly main: SuiteUser
  readonly alt: SuiteUser
  readonly tenant: SuiteUser
}

/** Seconds that count as a day of lifecycle rules. */
const lifecycleDaySeconds = 4

/** The suite publishes buckets, expects that writers own their objects, and creates more buckets than a user usually may. */
export const suiteSettings = {
  's3.public_access': true,
  's3.default_object_ownership': 'ObjectWriter',
  's3.limits.user_buckets': 0,
  's3.limits.user_data_sets_per_day': 0,
  'lifecycle.day': `${lifecycleDaySeconds}s`,
} as const

/** Sections that the suite reads at its start, of interfaces that svc does not have: no test in scope uses their values. */
const unusedSections = ['iam', 'iam root', 'iam alt root']

/** The display name of a user is its ID. */
export function writeSuiteConfig(s3Url: string, users: SuiteUsers): string {
  const { hostname, port, protocol } = new URL(s3Url)
  const section = (name: string, values: Readonly<Record<string, string>>) =>
    `[${name}]\n${Object.entries(values)
      .map(([key, value]) => `${key} = ${value}\n`)
      .join('')}`
  const user = (name: string, { access_key, owner_id, secret_key }: SuiteUser) =>
    section(`s3 ${name}`, {
      display_name: owner_id,
      user_id: owner_id,
      email: `${name}@example.com`,
      access_key,
      secret_key,
      ...(name === 'main' ? { lc_debug_interval: String(lifecycleDaySeconds) } : {}),
      ...(name === 'tenant' ? { tenant: 'testx' } : {}),
    })
  return [
    section('DEFAULT', { host: hostname, port, is_secure: protocol === 'https:' ? 'True' : 'False', ssl_verify: 'False' }),
    section('fixtures', { 'bucket prefix': 's3-tests-{random}-' }),
    ...Object.entries(users).map(([name, one]) => user(name, one)),
    ...unusedSections.map((name) =>
      section(name, { email: 'none@example.com', user_id: 'none', display_name: 'none', access_key: 'none', secret_key: 'none' }),
    ),
  ].join('\n')
}
