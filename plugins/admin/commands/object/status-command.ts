import { type CommandCall, openAdminClient, showResult } from '#kernel'
import { objectProvenance, objectStatusDetail } from '../../objects/object-api.ts'
import { statusText } from './object-text-policy.ts'
import { readCurrent, readObjectName } from './read-history.ts'

export async function run(call: CommandCall): Promise<undefined> {
  const object = readObjectName(call)
  const versionId = call.parameters.versionId as string | undefined
  const client = await openAdminClient(call)
  const params = { name: object.bucket }
  await showResult(call, async () => {
    const query = { version_id: versionId ?? (await readCurrent(client, object)).version_id }
    const provenance = await client.call(objectProvenance, { params, query })
    const { message } = await client.call(objectStatusDetail, { params, query })
    const status = { ...provenance, ...(message === undefined ? {} : { message }) }
    return { value: status, text: statusText(object.key, status) }
  })
}
