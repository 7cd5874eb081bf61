import { expect, test } from 'vitest'
import { definePlugin, provide } from '#kernel'
import { promised } from '#kernel/testing'
import { type S3Users, s3Users } from '#plugins/s3'
import { testAdmin } from '../testing/test-admin.ts'
import { changeOwner, createBucket, listBuckets, showBucket } from './bucket-api.ts'

const names = new Map<string, string | null>([
  ['alice', 'Film archive'],
  ['bob', null],
])
const users: Pick<S3Users, 'find'> = {
  find(accessKey) {
    const name = names.get(accessKey)
    return name === undefined ? undefined : { accessKey, ownerId: 'id', role: 'user', name, createdAtMs: 0 }
  },
}
const s3 = definePlugin({ id: 's3', provides: [provide(s3Users, {}, () => users as S3Users)] })

test('a bucket has the name of its owner, if the owner has one', async () => {
  await using admin = await testAdmin({ plugins: [s3] })
  const path = '/api/v1/buckets/photos'
  const created = promised(createBucket, await admin.call('POST', '/api/v1/buckets', { name: 'photos', owner_access_key: 'alice' }))
  expect(created).toMatchObject({ owner_access_key: 'alice', owner_name: 'Film archive' })
  for (const [owner_access_key, name] of [
    ['bob', undefined],
    ['alice', 'Film archive'],
    ['__internal_root__', undefined],
  ]) {
    const changed = promised(changeOwner, await admin.call('PUT', `${path}/owner`, { owner_access_key }))
    const shown = promised(showBucket, await admin.call('GET', path))
    const [listed] = promised(listBuckets, await admin.call('GET', '/api/v1/buckets'))
    expect([changed, shown, listed].map((bucket) => bucket?.owner_name)).toEqual(Array(3).fill(name))
  }
})
