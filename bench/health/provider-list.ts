// Measures the list of 1,000 providers at rest and while a refresh pings them, and counts the reads of the chain of one refresh.

import { startProvider } from '../../plugins/observability/testing/provider-server.ts'
import { testObservability } from '../../plugins/observability/testing/test-observability.ts'
import { type BenchRow, type BenchTable, renderBenchTable } from '../bench-table.ts'
import { rowOf, timed, timesDuring, timesOf } from './timed-requests.ts'

const PROVIDERS = 1000
/** Share of providers that accept connections and never answer. */
const HANGING = 0.05
const REQUESTS = 200
const path = '/api/v1/observability/providers'

/** Takes about half a minute. */
export async function benchProviderList(): Promise<BenchTable> {
  await using good = await startProvider()
  await using hanging = await startProvider()
  hanging.mode = 'hangs'
  const records = Array.from({ length: PROVIDERS }, (_, index) => ({
    serviceUrl: `${index % (1 / HANGING) === 0 ? hanging.url : good.url}/${index}`,
  }))
  await using svc = await testObservability({ records })

  const read = async (query: string) => (await svc.fetch(`${path}?${query}`)).arrayBuffer()
  const refreshMs = await timed(() => svc.call('POST', `${path}/refresh?limit=1`))
  const reads = svc.chain.reads
  const rows: BenchRow[] = [
    {
      label: 'one refresh',
      value: refreshMs,
      unit: 'ms',
      note: `${reads.calls} reads of the chain in ${reads.batches} batches`,
      figures: { ...reads },
    },
  ]
  for (const query of ['limit=100', 'limit=500', 'status=unavailable&limit=20']) {
    rows.push(rowOf(`${query}, at rest`, await timesOf(REQUESTS, () => read(query))))
    const refresh = () => svc.call('POST', `${path}/refresh?limit=1`)
    rows.push(rowOf(`${query}, during a refresh`, await timesDuring(refresh, () => read(query))))
  }
  return { name: `Providers: ${PROVIDERS} registered, ${PROVIDERS * HANGING} of them hang, 8 pings at once`, rows }
}

if (import.meta.main) process.stdout.write(renderBenchTable(await benchProviderList()))
