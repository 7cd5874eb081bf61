import { expect, test } from 'vitest'
import { createFakeClock, openTestDatabase } from '#kernel/testing'
import { replacementMigrations } from '../migrations/all-migrations.ts'
import { repairMetrics } from './repair-metrics.ts'
import { addDecision, endSignal, keepSignal, type NewDecision } from './repair-store.ts'

const dayMs = 86_400_000

test('faults are those of the present, decisions those of the last day, and every label is shown', async () => {
  await using database = await openTestDatabase([{ name: 'replacement', migrations: replacementMigrations }])
  const clock = createFakeClock(1_700_006_400_000)
  const nowMs = clock.now()
  const decision = (action: NewDecision['action'], atMs: number): NewDecision => ({
    atMs,
    action,
    signal: 'provider_down',
    reason: 'provider_down',
    message: 'why',
    providerId: '1',
    bucketId: 1,
    bucketName: 'photos',
    dataSetId: 1,
    slot: 0,
    sinceMs: 0,
    replacementId: null,
    fee: null,
    lost: null,
  })
  await database.write(async (tx) => {
    for (const dataSetId of [1, 2, 3]) await keepSignal(tx, { dataSetId, signal: 'provider_down', sinceMs: 0, nowMs })
    await keepSignal(tx, { dataSetId: 4, signal: 'copies_denied', sinceMs: 0, nowMs })
    await endSignal(tx, 3)
    await addDecision(tx, decision('loss', nowMs - dayMs - 1))
    await addDecision(tx, decision('loss', nowMs - dayMs))
    await addDecision(tx, decision('refused', nowMs))
  })
  const shown = await Promise.all(repairMetrics.map(async (metric) => [...(await metric.collect({ clock, database }))]))
  expect(shown.map((samples) => samples.map(({ labels, value }) => [Object.values(labels)[0], value]))).toEqual([
    [
      ['data_set_lost', 0],
      ['service_ended', 0],
      ['proving_missed', 0],
      ['provider_down', 2],
      ['copies_denied', 1],
    ],
    [
      ['replaced', 0],
      ['refused', 1],
      ['left_alone', 0],
      ['loss', 1],
    ],
  ])
})
