// Measures the list of 2,000 data sets at 1,000 providers at rest and during a refresh, and counts the reads of the chain of one refresh.
import { database } from '#kernel'
import { runSql } from '#kernel/testing'
import { testObservability } from '../plugins/observability/testing/test-observability.ts'
import { planDataSet } from '../plugins/replication/datasets/data-set-store.ts'
import { rowStates } from '../plugins/replication/testing/storage-rows.ts'
import { type BenchRow, type BenchTable, renderBenchTable } from './bench-table.ts'
import { dataSetPlugin } from './data-set-chain.ts'
import { rowOf, timed, timesDuring, timesOf } from './timed-requests.ts'

const DATA_SETS = 2000
const PROVIDERS = 1000
const SLOTS = 8
const REQUESTS = 200
const path = '/api/v1/observability/data-sets'

/** Takes about half a minute. */
export async function benchDataSetList(): Promise<BenchTable> {
  const records = Array.from({ length: PROVIDERS }, (_, index) => ({ serviceUrl: `http://127.0.0.1:9/${index}` }))
  await using svc = await testObservability({ records, plugins: [dataSetPlugin] })
  await addDataSets(svc)
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

async function addDataSets({ kernel }: Awaited<ReturnType<typeof testObservability>>): Promise<void> {
  await kernel.get(database).write(async (tx) => {
    for (let bucket = 1; bucket <= DATA_SETS / SLOTS; bucket++)
      await runSql(
        tx,
        'insert into buckets (id, name, default_copies, minimum_durable_copies, created_at, updated_at) values (?, ?, 8, 2, 0, 0)',
        bucket,
        `bucket-${bucket}`,
      )
    for (let n = 0; n < DATA_SETS; n++) {
      const id = await planDataSet(rowStates(0), tx, {
        bucketId: Math.floor(n / SLOTS) + 1,
        slot: n % SLOTS,
        providerId: String((n % PROVIDERS) + 1),
        providerAddress: '0x1',
        payee: '0x1',
        serviceUrl: `http://127.0.0.1:9/${n % PROVIDERS}`,
        clientDataSetId: BigInt(n + 1),
        pieceBytesMax: 1_065_353_216,
      })
      await runSql(tx, "update data_sets set state = 'ready', chain_id = ?, final_at = 0 where id = ?", String(n + 100), id ?? 0)
    }
  })
}

if (import.meta.main) process.stdout.write(renderBenchTable(await benchDataSetList()))
