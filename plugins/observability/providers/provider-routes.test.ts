import { expect, onTestFinished, test } from 'vitest'
import { configSections, definePlugin, defineSection, setting } from '#kernel'
import { createFakeClock, promised, testKernel } from '#kernel/testing'
import type { TestRecord } from '../../providers/testing/index.ts'
import { observabilityPlugin } from '../plugin.ts'
import { type ProviderServer, startProvider } from '../testing/provider-server.ts'
import { type TestObservability, testObservability } from '../testing/test-observability.ts'
import { listProviders, type ProviderPage, refreshProviders } from './provider-api.ts'

const path = '/api/v1/observability/providers'

async function provider(): Promise<ProviderServer> {
  const server = await startProvider()
  onTestFinished(() => server[Symbol.asyncDispose]())
  return server
}

async function open(records: readonly TestRecord[], options: { readonly clock?: ReturnType<typeof createFakeClock> } = {}) {
  const svc = await testObservability({ records, ...options })
  onTestFinished(() => svc.stop())
  return svc
}

const list = async (svc: TestObservability, query = ''): Promise<ProviderPage> =>
  promised(listProviders, await svc.call('GET', `${path}${query}`))
const refresh = async (svc: TestObservability): Promise<ProviderPage> =>
  promised(refreshProviders, await svc.call('POST', `${path}/refresh`))
const verdicts = ({ items }: ProviderPage) => items.map(({ facts, signal }) => [facts.provider_id, signal.status, ...signal.reason_codes])

test('before the first read of the registry the list is empty and says that no state is recorded', async () => {
  const svc = await open([{ serviceUrl: 'http://127.0.0.1:9' }])
  expect(await list(svc)).toEqual({
    items: [],
    summary: { total: 0, available: 0, degraded: 0, unavailable: 0, unknown: 0, reasons: [] },
    summary_signal: { level: 'warning', freshness: { stale: true, warnings: ['no_state_recorded'] } },
    total: 0,
    limit: 100,
    offset: 0,
  })
})

test('a refresh lists every registered provider by numeric id, with its reason; the summary counts all rows of the filter', async () => {
  const good = await provider()
  const records = Array.from({ length: 11 }, (_, index) => ({ serviceUrl: good.url, ...(index === 9 && { extra: { tier: 'gold' } }) }))
  const svc = await open([
    { serviceUrl: good.url, isActive: false },
    { serviceUrl: 'http://127.0.0.1:9' },
    { serviceUrl: good.url, hasPdp: false },
    { serviceUrl: good.url, isApproved: false },
    { serviceUrl: 'ftp://provider.example' },
    ...records.slice(5),
  ])
  const page = await refresh(svc)
  expect(verdicts(page)).toEqual([
    ['1', 'unavailable', 'provider_inactive'],
    ['2', 'unavailable', 'provider_http_unreachable'],
    ['3', 'unavailable', 'provider_missing_pdp'],
    ['4', 'unavailable', 'provider_not_approved'],
    ['5', 'unavailable', 'provider_record_unusable'],
    ...['6', '7', '8', '9', '10', '11'].map((id) => [id, 'available']),
  ])
  expect(page).toMatchObject({ summary: { total: 11, available: 6, unavailable: 5 }, summary_signal: { level: 'blocking' }, total: 11 })
  const [tenth] = (await list(svc, '?status=available&limit=2&offset=4')).items
  expect(tenth).toMatchObject({
    facts: { provider_id: '10', active: true, has_pdp: true, service_url: good.url, health_status: 'reachable', approved: true },
    signal: { status: 'available', level: 'ok', reason_codes: [], freshness: { stale: false, warnings: [] } },
    provider_identity: { registry_provider_id: '10', name: 'provider 9', location: 'C=DE', extra_capabilities: { tier: 'gold' } },
  })
  expect(await list(svc, '?status=unavailable&limit=1')).toMatchObject({
    items: [{}],
    summary: { total: 5, available: 0 },
    total: 5,
    limit: 1,
  })
  expect(await list(svc, '?provider_id=2')).toMatchObject({ items: [{ facts: { provider_id: '2' } }], total: 1 })
  expect(await list(svc, '?limit=0')).toMatchObject({ limit: 100 })
  expect(await list(svc, '?limit=9999')).toMatchObject({ limit: 500 })
  for (const query of ['?limit=-1', '?limit=x', '?offset=-1', '?status=fine', '?provider_id=0x1'])
    expect((await svc.call('GET', path + query)).status, query).toBe(400)
})

test('the list is searched by id, name, location and URL, and by whether a data set is there', async () => {
  const svc = await open([
    { serviceUrl: 'http://127.0.0.1:9/north' },
    { serviceUrl: 'http://user:secret@127.0.0.1:9/south' },
    { serviceUrl: 'http://127.0.0.1:9/east' },
  ])
  await refresh(svc)
  const idsOf = async (query: string) => (await list(svc, `?${query}`)).items.map(({ facts }) => facts.provider_id)
  expect(await idsOf('search=SOUTH')).toEqual(['2'])
  expect(await idsOf('search=provider%201')).toEqual(['2'])
  expect(await idsOf('search=%20C=de')).toEqual(['1', '2', '3'])
  expect(await idsOf('search=secret')).toEqual([])
  expect(await idsOf('search=north&provider_id=3')).toEqual([])
  expect([await idsOf('used=true'), await idsOf('used=false')]).toEqual([[], ['1', '2', '3']])
  expect((await svc.call('GET', `${path}?used=perhaps`)).status).toBe(400)
})

test('1,000 refreshes at the same time read the registry once', async () => {
  const one = await provider()
  const svc = await open([{ serviceUrl: one.url }])
  await svc.providers.refresh()
  const { calls } = svc.chain.reads
  await Promise.all(Array.from({ length: 1000 }, () => svc.providers.refresh()))
  expect(svc.chain.reads.calls).toBe(2 * calls)
  const answers = await Promise.all(Array.from({ length: 20 }, () => svc.call('POST', `${path}/refresh?limit=1`)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
})

test('a provider that goes dark and comes back is in the list of each round, with its reason', async () => {
  const one = await provider()
  const svc = await open([{ serviceUrl: one.url }])
  const seen: unknown[] = []
  for (const mode of ['ok', 'dark', 'hangs', 'ok'] as const) {
    one.mode = mode
    const { items } = await refresh(svc)
    seen.push([items[0]?.signal.status, items[0]?.facts.health_status, items[0]?.signal.last_error])
  }
  expect(seen).toEqual([
    ['available', 'reachable', undefined],
    ['unavailable', 'unreachable', 'the ping failed: connection_lost'],
    ['unavailable', 'unreachable', 'the ping failed: timeout'],
    ['available', 'reachable', undefined],
  ])
})

test('a check is stale after two intervals; while the chain is silent a refresh still pings, and the registry is named as unread', async () => {
  const [one, clock] = [await provider(), createFakeClock()]
  const svc = await open([{ serviceUrl: one.url }], { clock })
  await refresh(svc)
  await clock.advance(601_000)
  expect(await list(svc)).toMatchObject({
    items: [{ signal: { status: 'available', level: 'warning', freshness: { stale: true, warnings: ['stale_state'] } } }],
    summary_signal: { level: 'warning', freshness: { stale: true } },
  })
  svc.chain.isSilent = true
  const answer = await svc.call('POST', `${path}/refresh`)
  expect(promised(refreshProviders, answer)).toMatchObject({
    items: [{ signal: { status: 'unknown', reason_codes: ['registry_lookup_failed'], freshness: { stale: false } } }],
  })
  expect(JSON.stringify(answer.body)).not.toContain('secret')
  one.mode = 'dark'
  await clock.advance(1000)
  expect(verdicts(await refresh(svc))).toEqual([['1', 'unavailable', 'provider_http_unreachable']])
})

test('no password or query of a service URL is in an answer', async () => {
  const svc = await open([{ serviceUrl: 'http://user:secret@127.0.0.1:9/base?token=secret' }])
  const { items } = await refresh(svc)
  expect(items[0]?.facts.service_url).toBe('http://127.0.0.1:9/base')
  expect(JSON.stringify(items)).not.toContain('secret')
})

test('the scorecard counts our own calls, survives a restart, and degrades a provider whose calls fail', async () => {
  const [one, records] = [await provider(), [] as TestRecord[]]
  records.push({ serviceUrl: one.url })
  const svc = await open(records)
  await refresh(svc)
  for (let call = 0; call < 6; call++)
    svc.providers.report(one.url, { kind: 'read', failure: { call: 'openPiece', reason: 'content_mismatch' } })
  const degraded = (await list(svc)).items[0]
  expect(degraded).toMatchObject({
    signal: {
      status: 'degraded',
      reason_codes: ['provider_calls_failing'],
      last_error: 'the last failed call: openPiece, content_mismatch',
    },
    scorecard: { failed: 6, read: { calls: 6, failed: 6 }, last_failure: { call: 'openPiece', reason: 'content_mismatch' } },
  })
  await svc.providers[Symbol.asyncDispose]()
  await svc.kernel.stop()
  const again = await testObservability({ records, dir: svc.dir })
  onTestFinished(() => again.stop())
  expect((await list(again)).items[0]?.scorecard).toMatchObject({ failed: 6, read: { calls: 6, failed: 6 } })
})

test('the metrics count providers by health, and name each that should work', async () => {
  const one = await provider()
  const svc = await open([{ serviceUrl: one.url }, { serviceUrl: 'http://127.0.0.1:9' }, { serviceUrl: one.url, isActive: false }])
  await refresh(svc)
  const text = await (await svc.fetch('/metrics')).text()
  for (const line of [
    'svc_provider_health{status="available"} 1',
    'svc_provider_health{status="unavailable"} 2',
    'svc_provider_available{provider_id="1"} 1',
    'svc_provider_available{provider_id="2"} 0',
  ])
    expect(text).toContain(`${line}\n`)
  expect(text).not.toContain('svc_provider_available{provider_id="3"}')
})

test('without the plugin providers the addresses answer plugin_disabled, and the metrics stay', async () => {
  const svc = await testKernel({ plugins: [observabilityPlugin] })
  onTestFinished(() => svc.stop())
  for (const [method, address] of [
    ['GET', path],
    ['POST', `${path}/refresh`],
    ['POST', `${path}/1/upload-speed-test`],
  ] as const)
    expect(await svc.call(method, address), address).toMatchObject({ status: 404, body: { code: 'plugin_disabled' } })
  expect((await svc.fetch('/metrics')).status).toBe(200)
})

test('in setup mode the health of storage is unavailable', async () => {
  const keys = { private_key: setting.secret({ label: 'Key', doc: 'The key.', required: true }) }
  const required = definePlugin({ id: 'wallet', contributes: [configSections.with(defineSection('chain', { doc: 'Keys.', keys }))] })
  const svc = await testKernel({ plugins: [observabilityPlugin, required] })
  onTestFinished(() => svc.stop())
  expect(await svc.call('GET', path)).toMatchObject({ status: 503, body: { code: 'setup_mode' } })
  expect(await svc.call('POST', `${path}/refresh`)).toMatchObject({ status: 503, body: { code: 'setup_mode' } })
})
