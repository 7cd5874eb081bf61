import { expect, test } from 'vitest'
import type { DataSet } from '../data-sets/describe-data-set.ts'
import type { Provider } from '../providers/describe-provider.ts'
import { type Bucket, readFilter, readNode, toLanes, topologyQuery } from './describe-topology.ts'

const looks = {
  tones: { available: 'success', degraded: 'warning', unavailable: 'danger', unknown: 'neutral' },
  words: { available: 'Available', degraded: 'Degraded', unavailable: 'Unavailable', unknown: 'Unknown' },
} as const

type Status = keyof typeof looks.words
const bucket = (name: string, status: Status) => ({ name, storage_health: { status } }) as Bucket
const set = (id: number, place: `${string} ${string}`, change: object = {}, status: Status = 'available') =>
  ({
    facts: {
      local_data_set_id: id,
      chain_data_set_id: String(id + 100),
      bucket_name: place.split(' ')[0],
      provider_id: place.split(' ')[1],
      copy_index: 0,
      generation: 1,
      is_current: true,
      local_status: 'ready',
      ...change,
    },
    signal: { status },
  }) as DataSet
const provider = (provider_id: string, status: Status) =>
  ({ facts: { provider_id }, signal: { status }, provider_identity: { name: `north ${provider_id}` } }) as Provider

const all = {
  buckets: [bucket('calm', 'available'), bucket('empty', 'available'), bucket('worse', 'unavailable')],
  sets: [
    set(1, 'calm 10'),
    set(2, 'calm 9', { copy_index: 1, is_current: false, local_status: 'draining' }),
    set(3, 'worse 9', { chain_data_set_id: undefined }, 'unavailable'),
  ],
  providers: [provider('9', 'degraded')],
}

test('buckets stand by risk, also those without a data set; providers by number and with their own health', () => {
  const lanes = toLanes(all, {}, looks)
  expect(lanes.buckets.map(({ id, state }) => [id, state])).toEqual([
    ['worse', 'Unavailable'],
    ['calm', 'Available'],
    ['empty', 'Available'],
  ])
  expect(lanes.providers).toEqual([
    { id: '9', label: 'north 9', tone: 'warning', state: 'Degraded' },
    { id: '10', label: 'Provider 10', tone: 'neutral', state: 'Unknown' },
  ])
  expect(lanes.sets.map(({ label, note, state, retired }) => [label, note, state, retired])).toEqual([
    ['Data set 101', 'Replica 1', 'Available', false],
    ['New data set', 'Replica 1', 'Unavailable', false],
    ['Data set 102', 'Replica 2', 'Available, serves reads only', true],
  ])
})

test('a data set that has retired is not shown as available, and one that the chain still runs has its verdict', () => {
  const ended = { is_current: false, local_status: 'retired' }
  const sets = [set(1, 'calm 9', ended), set(2, 'calm 10', ended, 'degraded')]
  expect(toLanes({ ...all, sets }, {}, looks).sets.map(({ id, tone, state }) => [id, tone, state])).toEqual([
    ['1', 'neutral', 'Retired'],
    ['2', 'warning', 'Degraded, retired'],
  ])
})

test('the newest generation of a slot stands first', () => {
  const sets = [set(1, 'calm 9', { is_current: false }), set(2, 'calm 10', { generation: 2 })]
  expect(toLanes({ ...all, sets }, {}, looks).sets.map(({ id }) => id)).toEqual(['2', '1'])
})

test('a filter leaves what belongs to it', () => {
  expect(toLanes(all, { bucket: 'empty' }, looks)).toMatchObject({ buckets: [{ id: 'empty' }], sets: [], providers: [] })
  expect(toLanes(all, { isPartial: true }, looks).buckets.map(({ id }) => id)).toEqual(['worse', 'calm'])
  const [first] = all.sets
  const narrow = toLanes({ ...all, sets: first ? [first] : [] }, { provider: '10' }, looks)
  expect([narrow.buckets.map(({ id }) => id), narrow.providers.map(({ id }) => id)]).toEqual([['calm'], ['10']])
  expect(readFilter(new URLSearchParams('bucket=a&provider=x&status=degraded'))).toEqual({
    bucket: 'a',
    provider: undefined,
    status: 'degraded',
  })
  expect(topologyQuery({ provider: '10' })).toMatchObject({ limit: '500', provider_id: '10' })
})

test('a node of the address keeps every character of its id', () => {
  expect(readNode('bucket:a:b\nc')).toEqual({ kind: 'bucket', id: 'a:b\nc' })
  expect(['task:1', 'set:', ''].map(readNode)).toEqual([undefined, undefined, undefined])
})
