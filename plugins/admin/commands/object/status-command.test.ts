import { expect, test } from 'vitest'
import { runCommand } from '#cli/testing'
import { testAdmin } from '../../testing/test-admin.ts'
import { objectCommands } from './commands.ts'

const headers = { contentType: '', system: {}, user: {}, checksums: {} }
const marker = { bucketId: 1, key: 'a', versionId: 'v2', isDeleteMarker: true, isCurrent: true, contentId: null, size: 0, etag: '' }

test('the status of a deleted object names the command that brings it back', async () => {
  await using admin = await testAdmin()
  await admin.call('POST', '/api/v1/buckets', { name: 'photos', owner_access_key: '__internal_root__' })
  admin.storage.history.ofKey = async () => ({
    versions: [{ ...marker, headers, createdAtMs: 0 }],
    isTruncated: true,
    currentVersionId: 'v2',
  })
  const command = objectCommands.find(({ name }) => name === 'admin object status')
  await expect(runCommand(command, admin, { parameters: { bucket: 'photos', key: 'a' } })).rejects.toThrow(
    'a is deleted; bring it back with svc admin object restore photos a, or name a version',
  )
})
