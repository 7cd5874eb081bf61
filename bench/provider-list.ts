// Measures the list of 1,000 providers at rest and while a refresh pings them, and counts the reads of the chain of one refresh.

import { startProvider } from '../plugins/observability/testing/provider-server.ts'
import { testObservability } from '../plugins/observability/testing/test-observability.ts'
import { type BenchRow, type BenchTable, median, renderBenchTable } from './bench-table.ts'

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

  async function timed(call: () => Promise<unknown>): Promise<number> {
    const startMs = performance.now()
    await call()
    return performance.now() - startMs
  }
  const read = async (query: string) => (await svc.fetch(`${path}?${query}`)).arrayBuffer()
  const p95Of = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0
  const rowOf = (label: string, times: readonly number[], note = ''): BenchRow => ({
    label,
    value: median(times),
    unit: 'ms',
    note: [`p95 ${p95Of(times).toFixed(1)} ms, ${times.length} requests`, note].filter(Boolean).join('; '),
    figures: { p95: p95Of(times) },
  })

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
    const atRest: number[] = []
    for (let turn = -10; turn < REQUESTS; turn++) {
      const ms = await timed(() => read(query))
      if (turn >= 0) atRest.push(ms)
    }
    rows.push(rowOf(`${query}, at rest`, atRest))
    const during: number[] = []
    let isRefreshing = true
    const refreshing = svc.call('POST', `${path}/refresh?limit=1`).finally(() => {
      isRefreshing = false
    })
    while (isRefreshing) during.push(await timed(() => read(query)))
    await refreshing
    rows.push(rowOf(`${query}, during a refresh`, during))
  }
  return { name: `Providers: ${PROVIDERS} registered, ${PROVIDERS * HANGING} of them hang, 8 pings at once`, rows }
}

if (import.meta.main) process.stdout.write(renderBenchTable(await benchProviderList()))
