import { type AdminCall, openAdminClient, usageError } from '#cli'
import { listObjects } from '../../objects/object-api.ts'
import { listDeletedObjects } from '../../objects/version-api.ts'
import { deletedText, pageText } from './object-text-policy.ts'

interface ListFlags {
  readonly prefix: string | undefined
  readonly folders: boolean
  readonly deleted: boolean
  readonly work: string | undefined
  readonly after: string | undefined
  readonly limit: number | undefined
}

export async function run(call: AdminCall<{ bucket: string }, ListFlags>): Promise<undefined> {
  const { prefix, folders, deleted, work, after, limit } = call.flags
  if (folders && deleted) throw usageError('--folders does not go with --deleted')
  if (work !== undefined && (folders || deleted)) throw usageError('--work does not go with --folders or --deleted')
  const state = works.find((one) => one === work)
  if (work !== undefined && state === undefined) throw usageError(`--work is ${works.join(', ')}`)
  const params = { name: call.parameters.bucket }
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
  const page = await client.call(listObjects, {
    params,
    query: { ...query, ...(folders ? { delimiter: '/' as const } : {}), ...(state ? { work: state } : {}) },
  })
  call.out.result(page, pageText(page))
}

const works = ['complete', 'working', 'waiting', 'stuck'] as const
