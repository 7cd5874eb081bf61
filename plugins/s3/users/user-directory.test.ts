import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '#kernel'
import { hasPostgres, newPostgresDatabase, openTestDatabase, startPostgresProxy } from '#kernel/testing'
import { storageMigrations } from '../../storage/migrations/all-migrations.ts'
import { migrations } from '../migrations.ts'
import { createUserDirectory } from './user-directory.ts'

async function setUp() {
  const proxy = await startPostgresProxy(await newPostgresDatabase())
  const schemas = [
    { name: 'storage', migrations: storageMigrations },
    { name: 's3', migrations },
  ]
  const database = await openTestDatabase(schemas, { dsn: proxy.dsn })
  onTestFinished(async () => {
    await database[Symbol.asyncDispose]()
    proxy[Symbol.dispose]()
  })
  const users = await createUserDirectory({ database, buckets: { countOwnedBy: async () => 0 }, clock: systemClock })
  const { accessKey } = await users.create('user')
  return { proxy, users, accessKey }
}

const onPostgres = test.skipIf(!hasPostgres())

onPostgres('a user whose deletion got no answer from the database server does not sign in any more', async () => {
  const { proxy, users, accessKey } = await setUp()
  proxy.loseCommit('answer')
  await users.delete(accessKey)
  expect(users.findSigner(accessKey)).toBeUndefined()
})

onPostgres(
  'a user whose deletion was refused in an outage, although it was committed, signs in no more after the next attempt',
  async () => {
    const { proxy, users, accessKey } = await setUp()
    proxy.loseCommit('answer', { staysDown: true })
    await expect(users.delete(accessKey)).rejects.toMatchObject({ code: 'database_unreachable' })
    proxy.setDown(false)
    await expect(users.delete(accessKey)).rejects.toMatchObject({ code: 's3_user_not_found' })
    expect(users.findSigner(accessKey)).toBeUndefined()
  },
)
