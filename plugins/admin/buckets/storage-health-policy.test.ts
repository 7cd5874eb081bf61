import { expect, test } from 'vitest'
import type { DataSetRecord } from '#plugins/replication'
import { judgeChain } from '../overview/judge-chain-policy.ts'
import { judgeBucket } from './storage-health-policy.ts'

const dataSet = (status: DataSetRecord['status'], more: Partial<DataSetRecord> = {}): DataSetRecord => ({
  id: 1,
  bucketId: 1,
  copyIndex: 0,
  generation: 1,
  isCurrent: true,
  providerId: '7',
  serviceUrl: 'https://p7.example',
  dataSetId: '41',
  clientDataSetId: '99',
  status,
  committedCopies: 1,
  physicalBytes: 200,
  referencedVersions: 1,
  currentVersions: 1,
  createdAtMs: 0,
  updatedAtMs: 0,
  ...more,
})

test('a bucket without stored versions is available', () => {
  expect(judgeBucket([dataSet('creating', { referencedVersions: 0 }), dataSet('ready', { referencedVersions: 0 })], 0)).toEqual({
    status: 'available',
    reason_codes: [],
    stale: false,
    abnormal_data_sets: 0,
    affected_versions_capped: 0,
    affected_versions_cap: 200,
    affected_versions_exceeds_cap: false,
  })
})

test('copies on data sets that the chain was not asked about are of unknown health', () => {
  expect(judgeBucket([dataSet('ready'), dataSet('ready')], 200)).toMatchObject({
    status: 'unknown',
    reason_codes: ['copy_observation_missing'],
    abnormal_data_sets: 2,
    affected_versions_capped: 200,
    affected_versions_exceeds_cap: false,
  })
})

test('affected versions are shown up to the cap', () => {
  expect(judgeBucket([dataSet('ready')], 201)).toMatchObject({ affected_versions_capped: 200, affected_versions_exceeds_cap: true })
})

test('a draining data set degrades a bucket, and an unknown one comes before it', () => {
  expect(judgeBucket([dataSet('draining')], 1).status).toBe('degraded')
  expect(judgeBucket([dataSet('draining'), dataSet('ready')], 1).status).toBe('unknown')
})

test('a lost data set makes its bucket unavailable until its slot has another one', () => {
  const lost = dataSet('unavailable', { referencedVersions: 0 })
  expect(judgeBucket([lost, dataSet('ready')], 1)).toMatchObject({ status: 'unavailable', abnormal_data_sets: 2 })
  expect(judgeBucket([{ ...lost, isCurrent: false }], 0).status).toBe('available')
})

test('retired data sets do not count', () => {
  expect(judgeBucket([dataSet('retired')], 0).status).toBe('available')
  expect(judgeChain(new Map([['retired', 3]]))).toMatchObject({ level: 'ok', data_sets: { summary: { total: 0 } } })
})
