import { type AdminCall, type AdminClient, openAdminClient, showResult } from '#cli'
import { CommandError } from '#kernel'
import { objectProvenance, objectStatusDetail } from '../../objects/object-api.ts'
import { statusText } from './object-text-policy.ts'
import { type NamedObject, readCurrent } from './read-history.ts'

export async function run(call: AdminCall<NamedObject & { versionId: string | undefined }, { watch: boolean }>): Promise<undefined> {
  const object = call.parameters
  const versionId = call.parameters.versionId
  const client = await openAdminClient(call)
  const params = { name: object.bucket }
  await showResult(call, async () => {
    const query = { version_id: versionId ?? (await readCurrentId(client, object)) }
    const provenance = await client.call(objectProvenance, { params, query })
    const { message } = await client.call(objectStatusDetail, { params, query })
    const status = { ...provenance, ...(message === undefined ? {} : { message }) }
    return { value: status, text: statusText(object.key, status) }
  })
}

/** A delete marker has no bytes, so its state would mean nothing. */
async function readCurrentId(client: AdminClient, { bucket, key }: NamedObject): Promise<string> {
  const current = await readCurrent(client, { bucket, key })
  if (!current.is_delete_marker) return current.version_id
  throw new CommandError(`${key} is deleted; bring it back with svc admin object restore ${bucket} ${key}, or name a version`)
}
