import { afterAll, beforeAll, expect, test } from 'vitest'
import { database } from '#kernel'
import { promised } from '#kernel/testing'
import { dataSetPlugin } from '../testing/data-set-chain.ts'
import { addDataSets } from '../testing/data-set-rows.ts'
import { type TestObservability, testObservability } from '../testing/test-observability.ts'
import { listDataSets, refreshDataSets } from './data-set-api.ts'

const path = '/api/v1/observability/data-sets'
const dataSets = 600
let svc: TestObservability

beforeAll(async () => {
  svc = await testObservability({ records: [], plugins: [dataSetPlugin] })
  await addDataSets(svc.kernel.get(database), { count: dataSets, providers: dataSets })
  promised(refreshDataSets, await svc.call('POST', `${path}/refresh?limit=1`))
})
afterAll(() => svc?.stop())

const list = async (query: string) => promised(listDataSets, await svc.call('GET', `${path}?${query}`))

test.each([
  ['', 100],
  ['limit=0', 100],
  ['limit=500', 500],
  ['limit=501', 500],
  ['limit=9007199254740991', 500],
  ['offset=550', 50],
  ['offset=600', 0],
  ['offset=9007199254740991', 0],
  ['provider_id=7', 1],
  [`provider_id=${'9'.repeat(78)}`, 0],
  ['bucket_id=1&limit=3', 3],
  ['bucket_id=9007199254740991', 0],
  ['status=available&limit=500', 500],
  ['status=unavailable', 0],
] as const)('a page of "%s" has %i rows', async (query, rows) => {
  const page = await list(query)
  expect(page.items.length).toBe(rows)
  expect(page.items.length).toBeLessThanOrEqual(page.limit)
})

test('the pages of a walk have every data set once', async () => {
  const ids: number[] = []
  for (let offset = 0; offset < dataSets; offset += 250)
    ids.push(...(await list(`limit=250&offset=${offset}`)).items.map(({ facts }) => facts.local_data_set_id))
  expect(new Set(ids).size).toBe(dataSets)
  expect(ids.length).toBe(dataSets)
})

test.each([
  'limit=-1',
  'limit=1e3',
  'limit=0x10',
  'limit=9007199254740992',
  'offset=-1',
  'offset=1.5',
  'status=fine',
  'status=',
  'provider_id=-1',
  'provider_id=0x1',
  `provider_id=${'9'.repeat(79)}`,
  'bucket_id=0',
  'bucket_id=9007199254740992',
  'bucket=',
  'bucket=nothing',
  'bucket=photos&bucket_id=1',
  'limit=1&limit=2',
])('"%s" is refused, by the list and before a refresh', async (query) => {
  expect((await svc.call('GET', `${path}?${query}`)).status).toBe(400)
  expect((await svc.call('POST', `${path}/refresh?${query}`)).status).toBe(400)
})
