import { defineEntity, p } from '@mikro-orm/core'

/** The latest upload speed test of a provider. The figures are those of the latest one that succeeded. */
export const speedTestEntity = defineEntity({
  name: 'ProviderSpeedTest',
  tableName: 'provider_speed_tests',
  properties: {
    provider_id: p.text().primary(),
    /** The task of the latest test. */
    task_id: p.bigint('number'),
    state: p.text().$type<'testing' | 'succeeded' | 'failed'>(),
    /** Set when the task's run began: a second run means that the process stopped during the test. */
    started_at: p.bigint('number').nullable(),
    failure_code: p.text().nullable(),
    /** The tested one. */
    service_url: p.text().nullable(),
    bytes_per_second: p.bigint('number').nullable(),
    duration_ms: p.bigint('number').nullable(),
    sample_bytes: p.bigint('number').nullable(),
    tested_at: p.bigint('number').nullable(),
  },
})
