import { openAdminClient } from '#cli'
import { refreshDataSets } from '../data-sets/data-set-api.ts'
import { type DataSetListCall, showDataSets, toQuery } from './show-data-sets.ts'

export async function run(call: DataSetListCall): Promise<undefined> {
  const client = await openAdminClient(call)
  call.out.note('Reading the data sets on chain')
  const page = await client.call(refreshDataSets, { query: toQuery(call.flags) })
  call.out.result(page, showDataSets(page))
}
