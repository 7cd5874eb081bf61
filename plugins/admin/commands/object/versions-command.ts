import { type AdminCall, openAdminClient } from '#cli'
import { listObjectVersions } from '../../objects/version-api.ts'
import { historyText } from './object-text-policy.ts'
import { type NamedObject, noSuchKey } from './read-history.ts'

export async function run(call: AdminCall<NamedObject, { after: string | undefined; limit: number | undefined }>): Promise<undefined> {
  const object = call.parameters
  const { after, limit } = call.flags
  const client = await openAdminClient(call)
  const page = await client.call(listObjectVersions, {
    params: { name: object.bucket },
    query: {
      key: object.key,
      ...(after === undefined ? {} : { version_marker: after }),
      ...(limit === undefined ? {} : { limit: String(limit) }),
    },
  })
  if (page.versions.length === 0 && after === undefined) throw noSuchKey(object)
  call.out.result(page, historyText(page))
}
