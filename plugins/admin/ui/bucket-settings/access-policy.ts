import type { Answer } from '@svc/ui-kit'

type Access = Answer<'GET /buckets/:name/s3-settings'>['access']
type Grant = Access['grants'][number]

/** `listed`: everyone lists the keys; `open`: everyone also stores and deletes objects. */
export type Exposure = 'private' | 'listed' | 'open'

export function exposureOf({ grants, has_lists, is_public_access_on, block }: Access): Exposure {
  if (!has_lists || !is_public_access_on || block.ignore_public_acls) return 'private'
  const given = grants.filter(({ grantee }) => grantee === 'everyone').map(({ permission }) => permission)
  if (given.includes('WRITE') || given.includes('FULL_CONTROL')) return 'open'
  return given.includes('READ') ? 'listed' : 'private'
}

/** `isPublic`: the bucket, or an object in it. */
export function textOfExposure(exposure: Exposure, isPublic: boolean): string {
  if (exposure === 'open') return 'Everyone may list its keys, and store and delete objects.'
  if (exposure === 'listed') return 'Everyone may list its keys.'
  return isPublic ? 'Single objects or other rights are public.' : 'Every read needs a signature.'
}

const grantees: Readonly<Record<string, string>> = {
  owner: 'The owner',
  'bucket-owner': 'The owner of the bucket',
  everyone: 'Everyone, without a signature',
  users: 'Every S3 user',
}
const rights: Readonly<Record<Grant['permission'], string>> = {
  READ: 'may list the keys',
  WRITE: 'may store and delete objects',
  READ_ACP: 'may read this list',
  WRITE_ACP: 'may change this list',
  FULL_CONTROL: 'has full control',
}

export const describeGrant = ({ grantee, permission }: Grant): string =>
  `${grantees[grantee] ?? `The user with the owner ID ${grantee.replace(/^id:/, '')}`} ${rights[permission]}.`
