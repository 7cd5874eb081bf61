import { expect, test } from 'vitest'
import { runCommand } from '#cli/testing'
import { testAdmin } from '../../testing/test-admin.ts'
import { objectCommands } from './commands.ts'

test('a version is deleted permanently, and the cleanup of its bytes is shown', async () => {
  await using admin = await testAdmin()
  await admin.call('POST', '/api/v1/buckets', { name: 'photos', owner_access_key: '__internal_root__' })
  const deleted: unknown[] = []
  Object.assign(admin.storage.history, {
    deletePermanently: async (version: unknown) => {
      deleted.push(version)
      return { cacheRelease: 'released', cleanupTaskIds: [7] }
    },
  })
  const command = objectCommands.find(({ name }) => name === 'admin object delete')
  const flags = { versionId: 'v1', yes: true }
  const { stdout } = await runCommand(command, admin, { parameters: { bucket: 'photos', key: 'a' }, flags })
  expect(stdout).toBe('Version deleted permanently: v1\nObject: a\nCached bytes: released\nCleanup task: 7\n')
  expect(deleted).toEqual([{ bucket: 'photos', key: 'a', versionId: 'v1' }])
})
