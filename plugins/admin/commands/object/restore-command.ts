import { type AdminCall, formatFacts, openAdminClient } from '#cli'
import { CommandError } from '#kernel'
import { restoreObject, restoreObjectVersion } from '../../objects/version-api.ts'
import { type NamedObject, readCurrent } from './read-history.ts'

export async function run(call: AdminCall<NamedObject & { versionId: string | undefined }>): Promise<undefined> {
  const { bucket, key, versionId } = call.parameters
  const client = await openAdminClient(call)
  const current = await readCurrent(client, { bucket, key })
  const params = { name: bucket }
  if (versionId === undefined) {
    if (!current.is_delete_marker) {
      throw new CommandError(`${key} is not deleted; name the version to restore: svc admin object versions ${bucket} ${key}`)
    }
    const restored = await client.call(restoreObject, { params, body: { key, delete_marker_version_id: current.version_id } })
    return call.out.result(restored, restoredText(key, restored.restored_version_id)) as undefined
  }
  const body = { key, version_id: versionId, expected_current_version_id: current.version_id }
  const restored = await client.call(restoreObjectVersion, { params, body })
  call.out.result(restored, restoredText(key, restored.version_id))
}

const restoredText = (key: string, versionId: string): string =>
  formatFacts([
    ['Object restored', key],
    ['Version', versionId],
  ])
