import { expect, test } from 'vitest'
import { type BucketDetail, type DataSet, type HealthLooks, mappedMax, toLanes, toMapped } from './replica-map-policy.ts'

const looks: HealthLooks = {
  tones: { available: 'success', degraded: 'warning', unavailable: 'danger', unknown: 'neutral' },
  words: { available: 'Available', degraded: 'Degraded', unavailable: 'Unavailable', unknown: 'Unknown' },
}

type Status = DataSet['storage_health']['status']

const set = (id: number, provider_id: string, status: Status, more: Partial<DataSet> = {}): DataSet =>
  ({
    id,
    provider_id,
    copy_index: 0,
    generation: 1,
    is_current: true,
    status: 'ready',
    bucket_name: 'media',
    data_set_id: String(id),
    storage_health: { status, reason_codes: [], stale: false },
    ...more,
  }) as DataSet
const bucket = (name: string, status: Status, data_sets: readonly DataSet[] = []) =>
  ({ name, storage_health: { status }, data_sets }) as BucketDetail

test('a provider has the worst health of its current data sets', () => {
  const old = set(1, '9', 'unavailable', { is_current: false, status: 'retired' })
  const sets = [old, set(2, '9', 'available'), set(3, '10', 'degraded'), set(4, '10', 'available')]
  expect(toLanes([bucket('media', 'degraded', sets)], looks).providers).toEqual([
    { id: '9', label: 'Provider 9', tone: 'success', state: 'Available, 1 data set' },
    { id: '10', label: 'Provider 10', tone: 'warning', state: 'Degraded, 2 data sets' },
  ])
})

test('data sets stand by replica, the newest generation first, and earlier generations are retired', () => {
  const sets = [
    set(1, '9', 'available', { copy_index: 1 }),
    set(2, '9', 'unknown', { generation: 1, is_current: false }),
    set(3, '9', 'available', { generation: 2, status: 'creating' }),
  ]
  expect(
    toLanes([bucket('media', 'available', sets)], looks).sets.map(({ id, note, state, retired }) => [id, note, state, retired]),
  ).toEqual([
    ['3', 'Replica 1', 'Available, creating', false],
    ['2', 'Replica 1', 'Unknown', true],
    ['1', 'Replica 2', 'Available', false],
  ])
})

test('a data set without an id on chain has a name, and a bucket without data sets is a node', () => {
  const { buckets, sets } = toLanes(
    [bucket('empty', 'available'), bucket('media', 'unknown', [set(7, '9', 'unknown', { data_set_id: undefined })])],
    looks,
  )
  expect([buckets.map(({ label }) => label), sets.map(({ label }) => label)]).toEqual([['empty', 'media'], ['New data set']])
})

test('the map of the overview has the buckets at the highest risk', () => {
  const many = Array.from({ length: mappedMax + 3 }, (_, at) => bucket(`b${String(at).padStart(2, '0')}`, 'available'))
  const mapped = toMapped([...many, bucket('z', 'unavailable')] as unknown as Parameters<typeof toMapped>[0])
  expect([mapped.length, mapped.slice(0, 2)]).toEqual([mappedMax, ['z', 'b00']])
})
