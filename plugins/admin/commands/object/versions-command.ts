import { openAdminClient, requireWhole } from '#cli'
import type { CommandCall } from '#kernel'
import { listObjectVersions } from '../../objects/version-api.ts'
import { historyText } from './object-text-policy.ts'
import { noSuchKey, pageRowsMax, readObjectName } from './read-history.ts'

export async function run(call: CommandCall): Promise<undefined> {
  const object = readObjectName(call)
  const { after, limit } = call.flags as { readonly after?: string; readonly limit?: number }
  requireWhole('--limit', limit, pageRowsMax)
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
