import { openAdminClient } from '#cli'
import { listDataSets } from '../data-sets/data-set-api.ts'
import { type DataSetListCall, showDataSets, toQuery } from './show-data-sets.ts'

export async function run(call: DataSetListCall): Promise<undefined> {
  const client = await openAdminClient(call)
  const page = await client.call(listDataSets, { query: toQuery(call.flags) })
  call.out.result(page, showDataSets(page))
}
