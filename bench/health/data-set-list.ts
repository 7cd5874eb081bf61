// Measures the list of 2,000 data sets at 1,000 providers at rest and during a refresh, and counts the reads of the chain of one refresh.
import { database } from '#kernel'
import { dataSetPlugin } from '../../plugins/observability/testing/data-set-chain.ts'
import { addDataSets } from '../../plugins/observability/testing/data-set-rows.ts'
import { testObservability } from '../../plugins/observability/testing/test-observability.ts'
import { type BenchRow, type BenchTable, renderBenchTable } from '../bench-table.ts'
import { rowOf, timed, timesDuring, timesOf } from './timed-requests.ts'

const DATA_SETS = 2000
const PROVIDERS = 1000
const REQUESTS = 200
const path = '/api/v1/observability/data-sets'

/** Takes about half a minute. */
export async function benchDataSetList(): Promise<BenchTable> {
  const records = Array.from({ length: PROVIDERS }, (_, index) => ({ serviceUrl: `http://127.0.0.1:9/${index}` }))
  await using svc = await testObservability({ records, plugins: [dataSetPlugin] })
  await addDataSets(svc.kernel.get(database), { count: DATA_SETS, providers: PROVIDERS })
  const read = async (query: string) => (await svc.fetch(`${path}?${query}`)).arrayBuffer()
  const refresh = () => svc.call('POST', `${path}/refresh?limit=1`)

  const rows: BenchRow[] = []
  for (const label of ['first refresh, with the history of 40 periods', 'one refresh']) {
    const value = await timed(refresh)
    const { chain_calls: calls, chain_requests: requests } = (await svc.call('GET', `${path}?limit=1`)).body.last_refresh
    rows.push({ label, value, unit: 'ms', note: `${calls} reads of the chain in ${requests} requests`, figures: { calls, requests } })
  }
  for (const query of ['limit=100', 'limit=500', 'status=degraded&limit=20', 'bucket_id=7']) {
    rows.push(rowOf(`${query}, at rest`, await timesOf(REQUESTS, () => read(query))))
    rows.push(rowOf(`${query}, during a refresh`, await timesDuring(refresh, () => read(query))))
  }
  return { name: `Data sets: ${DATA_SETS} at ${PROVIDERS} providers`, rows }
}

if (import.meta.main) process.stdout.write(renderBenchTable(await benchDataSetList()))
