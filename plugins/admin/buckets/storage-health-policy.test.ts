import { expect, test } from 'vitest'
import type { DataSetRecord } from '#plugins/replication'
import type { ObservedHealth } from '../contract.ts'
import { judgeChain } from '../overview/judge-chain-policy.ts'
import { dataSet } from '../testing/data-set.ts'
import { atRisk, judgeBucket, judgeDataSet, type Observations } from './storage-health-policy.ts'

const none: Observations = { byDataSet: new Map() }

const withStatus = (status: DataSetRecord['status'], more: Partial<DataSetRecord> = {}) => dataSet({ status, ...more })

test('a bucket without stored versions is available', () => {
  expect(judgeBucket([withStatus('creating', { referencedVersions: 0 }), withStatus('ready', { referencedVersions: 0 })], 0, none)).toEqual(
    {
      status: 'available',
      reason_codes: [],
      stale: false,
      abnormal_data_sets: 0,
      affected_versions_capped: 0,
      affected_versions_cap: 200,
      affected_versions_exceeds_cap: false,
    },
  )
})

test('copies on data sets that the chain was not asked about are of unknown health', () => {
  expect(judgeBucket([withStatus('ready'), withStatus('ready')], 200, none)).toMatchObject({
    status: 'unknown',
    reason_codes: ['copy_observation_missing'],
    abnormal_data_sets: 2,
    affected_versions_capped: 200,
    affected_versions_exceeds_cap: false,
  })
})

test('affected versions are shown up to the cap', () => {
  expect(judgeBucket([withStatus('ready')], 201, none)).toMatchObject({
    affected_versions_capped: 200,
    affected_versions_exceeds_cap: true,
  })
})

test('a draining data set degrades a bucket, and an unknown one comes before it', () => {
  expect(judgeBucket([withStatus('draining')], 1, none).status).toBe('degraded')
  expect(judgeBucket([withStatus('draining'), withStatus('ready')], 1, none).status).toBe('unknown')
})

test('a lost data set makes its bucket unavailable until its slot has another one', () => {
  const lost = withStatus('unavailable', { referencedVersions: 0 })
  expect(judgeBucket([lost, withStatus('ready')], 1, none)).toMatchObject({ status: 'unavailable', abnormal_data_sets: 2 })
  expect(judgeBucket([{ ...lost, isCurrent: false }], 0, none).status).toBe('available')
})

test('retired data sets do not count', () => {
  expect(judgeBucket([withStatus('retired')], 0, none).status).toBe('available')
  expect(judgeChain(new Map([['retired', 3]]))).toMatchObject({ level: 'ok', data_sets: { summary: { total: 0 } } })
})

const good: ObservedHealth = { status: 'available', reasonCodes: [], checkedAtMs: 2000 }
const slow: ObservedHealth = { status: 'degraded', reasonCodes: ['proof_late'], checkedAtMs: 1000, isStale: true, lastError: 'no proof' }

test('a ready data set is as healthy as the worst observation of it', () => {
  expect(judgeDataSet({ status: 'ready' }, [good])).toEqual({
    status: 'available',
    reason_codes: [],
    stale: false,
    last_checked_at: '1970-01-01T00:00:02Z',
  })
  expect(judgeDataSet({ status: 'ready' }, [good, slow])).toEqual({
    status: 'degraded',
    reason_codes: ['proof_late'],
    stale: true,
    last_checked_at: '1970-01-01T00:00:01Z',
    last_error: 'no proof',
  })
})

test('no observation improves a data set that does not work by the records', () => {
  expect(judgeDataSet({ status: 'failed' }, [good])).toMatchObject({ status: 'unavailable', reason_codes: ['local_status_not_ready'] })
})

test('data sets that are observed as available put no version at risk, and a missing answer is named', () => {
  const dataSets = [withStatus('ready'), withStatus('ready', { id: 2 })]
  const observations = { byDataSet: new Map([[1, [good]]]), lastError: 'some observations could not be read' }
  expect(atRisk(dataSets, observations).map(({ id }) => id)).toEqual([2])
  expect(judgeBucket(dataSets, 1, observations)).toMatchObject({
    status: 'unknown',
    abnormal_data_sets: 1,
    last_error: 'some observations could not be read',
  })
  const both = { byDataSet: new Map(dataSets.map(({ id }) => [id, [good]])) }
  expect(judgeBucket(dataSets, 0, both)).toMatchObject({ status: 'available', reason_codes: [], abnormal_data_sets: 0 })
})
