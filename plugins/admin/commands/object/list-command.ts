import { openAdminClient, requireWhole, usageError } from '#cli'
import type { CommandCall } from '#kernel'
import { listObjects } from '../../objects/object-api.ts'
import { listDeletedObjects } from '../../objects/version-api.ts'
import { deletedText, pageText } from './object-text-policy.ts'
import { pageRowsMax } from './read-history.ts'

export async function run(call: CommandCall): Promise<undefined> {
  const { prefix, folders, deleted, after, limit } = call.flags as {
    readonly prefix?: string
    readonly folders?: boolean
    readonly deleted?: boolean
    readonly after?: string
    readonly limit?: number
  }
  requireWhole('--limit', limit, pageRowsMax)
  if (folders && deleted) throw usageError('--folders does not go with --deleted')
  const params = { name: call.parameters.bucket as string }
  const query = {
    ...(prefix === undefined ? {} : { prefix }),
    ...(after === undefined ? {} : { after }),
    ...(limit === undefined ? {} : { limit: String(limit) }),
  }
  const client = await openAdminClient(call)
  if (deleted) {
    const page = await client.call(listDeletedObjects, { params, query })
    call.out.result(page, deletedText(page))
    return
  }
  const page = await client.call(listObjects, { params, query: { ...query, ...(folders ? { delimiter: '/' as const } : {}) } })
  call.out.result(page, pageText(page))
}
