/** Access control lists: who may do what with a bucket or an object, besides its owner. */

export const permissions = ['READ', 'WRITE', 'READ_ACP', 'WRITE_ACP', 'FULL_CONTROL'] as const

/** READ and WRITE of a bucket: list its keys, and change its objects. ACP: the list itself. */
export type Permission = (typeof permissions)[number]

/**
 * `owner`: of the bucket or object that has the list. `bucket-owner`: of the bucket of an object. Both change with the owner. `users`: everyone
 * with a valid signature. `id:`: the user with this owner ID.
 */
export type Grantee = 'owner' | 'bucket-owner' | 'everyone' | 'users' | `id:${string}`

export interface Grant {
  readonly grantee: Grantee
  readonly permission: Permission
}

export type AccessList = readonly Grant[]

/** Most grants in one list. */
export const grantsMax = 100

const ownerControls: Grant = { grantee: 'owner', permission: 'FULL_CONTROL' }
const everyoneReads: Grant = { grantee: 'everyone', permission: 'READ' }

export const privateList: AccessList = [ownerControls]

/** Groups first, as clients expect. */
const cannedLists = {
  private: privateList,
  'public-read': [everyoneReads, ownerControls],
  'public-read-write': [everyoneReads, { grantee: 'everyone', permission: 'WRITE' }, ownerControls],
  'authenticated-read': [{ grantee: 'users', permission: 'READ' }, ownerControls],
  'bucket-owner-read': [ownerControls, { grantee: 'bucket-owner', permission: 'READ' }],
  'bucket-owner-full-control': [ownerControls, { grantee: 'bucket-owner', permission: 'FULL_CONTROL' }],
} as const satisfies Record<string, AccessList>

export type CannedName = keyof typeof cannedLists

export const isCannedName = (name: string): name is CannedName => Object.hasOwn(cannedLists, name)

export const cannedList = (name: CannedName): AccessList => cannedLists[name]

/** True for a list with a grant to everyone or to all authenticated users. */
export const isPublic = (list: AccessList): boolean => list.some(({ grantee }) => grantee === 'everyone' || grantee === 'users')

export const namesEveryone = (list: AccessList): boolean => list.some(({ grantee }) => grantee === 'everyone')

/** True when the owner has full control, and no one else has anything. Such a list need not be stored. */
export const isPrivate = (list: AccessList): boolean =>
  list.every(({ grantee }) => grantee === 'owner') && list.some(({ permission }) => permission === 'FULL_CONTROL')

/** True when someone else than the owner could write. */
export const letsOthersWrite = (list: AccessList): boolean =>
  list.some(({ grantee, permission }) => grantee !== 'owner' && (permission === 'WRITE' || permission === 'FULL_CONTROL'))
