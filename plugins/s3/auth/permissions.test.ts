import { expect, test } from 'vitest'
import type { Bucket } from '#plugins/storage'
import { rulesOf } from '../access/access-rules-policy.ts'
import type { AccessList } from '../wire/access-list-policy.ts'
import { permissionsOf } from './permissions.ts'

const bucket = { id: 1, name: 'b', ownerAccessKey: 'owner' } as Bucket
const everyone: AccessList = [{ grantee: 'everyone', permission: 'READ' }]
const place = { bucket, key: 'k' }

const names = ['public', 'private', 'also-public', 'marker']
const idOf = (name: string) => `${names.indexOf(name)}1ARZ3NDEKTSV4RRFFQ69G5FAV`

/** A key whose versions are public or private, and the current one of which changes. */
function versions(publicNames: readonly string[], current: string | undefined, grants: AccessList = []) {
  const publicIds = publicNames.map(idOf)
  const state = { current: current && idOf(current), lookups: 0 }
  const lists = {
    rulesOf: ({ ownerAccessKey }: Bucket) =>
      rulesOf(
        { owner: `${ownerAccessKey}` },
        { grants },
        { default_object_ownership: 'BucketOwnerPreferred' as const, public_access: true },
      ),
    async findObject({ versionId = state.current }: { readonly versionId?: string | undefined }) {
      state.lookups += 1
      if (versionId === undefined) return undefined
      const access = publicIds.includes(versionId) ? { owner: null, grants: everyone } : undefined
      return { versionId, isDeleteMarker: versionId === idOf('marker'), access }
    },
  }
  return { state, lists }
}

const found = (name: string, bucketId = 1) => ({ bucketId, key: 'k', versionId: idOf(name) })

test('a permission for one version is not one for the version that became current meanwhile', async () => {
  const { lists, state } = versions(['public'], 'public')
  const permissions = permissionsOf(undefined, lists)
  await permissions.require('s3:GetObject', place)
  await permissions.confirm(bucket, found('public'))
  expect(state.lookups).toBe(1)
  await expect(permissions.confirm(bucket, found('private'))).rejects.toMatchObject({ code: 'AccessDenied' })
})

test.each([undefined, 'marker'])(
  'who may know that a key is missing (current: %s) may not read what is written meanwhile',
  async (current) => {
    const { lists } = versions(['public'], current, everyone)
    const permissions = permissionsOf(undefined, lists)
    await permissions.require('s3:GetObject', place)
    await expect(permissions.confirm(bucket, found('private'))).rejects.toMatchObject({ code: 'AccessDenied' })
    await expect(permissions.confirm(bucket, found('public'))).resolves.toBeUndefined()
  },
)

test('each permission is asked again for another version', async () => {
  const { lists } = versions(['public', 'also-public'], 'public')
  const permissions = permissionsOf(undefined, lists)
  await permissions.require('s3:GetObject', place)
  await permissions.confirm(bucket, found('also-public'))
  await expect(permissions.require('s3:PutObjectAcl', place)).rejects.toMatchObject({ code: 'AccessDenied', message: 'Access Denied' })
})

test('a bucket that has the name of another one now is refused, also to the owner of the first one', async () => {
  const { lists } = versions([], 'private')
  const owner = permissionsOf({ accessKey: 'key', ownerId: 'owner', role: 'user', createdAtMs: 0 }, lists)
  await owner.require('s3:GetObject', place)
  await owner.confirm(bucket, found('private'))
  await expect(owner.confirm(bucket, found('private', 2))).rejects.toMatchObject({ code: 'NoSuchBucket' })
})

test('the owner of a bucket that only he can write needs no look-up', async () => {
  const { lists, state } = versions([], 'private')
  const permissions = permissionsOf({ accessKey: 'key', ownerId: 'owner', role: 'user', createdAtMs: 0 }, lists)
  for (const action of ['s3:GetObject', 's3:PutObject', 's3:GetObjectAcl'] as const) await permissions.require(action, place)
  await permissions.confirm(bucket, found('private'))
  expect(state.lookups).toBe(0)
})

test('a version ID that no version has is not looked up', async () => {
  const { lists, state } = versions([], 'private')
  const permissions = permissionsOf(undefined, lists)
  await expect(permissions.require('s3:GetObjectVersion', { ...place, versionId: 'a\0b' })).rejects.toMatchObject({ code: 'AccessDenied' })
  expect(state.lookups).toBe(0)
})
