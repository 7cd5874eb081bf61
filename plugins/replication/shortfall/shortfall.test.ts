import { expect, test } from 'vitest'
import type { CopyWork } from '../contract.ts'
import { createContentViews } from '../copies/views/content-views.ts'
import { countStates } from '../copies/views/state-counts.ts'
import { engines, seeds, startResting, taskRow } from '../testing/resting-kernel.ts'
import { listShortfall, nameShortfall } from './list-shortfall.ts'
import { failedTasksByProvider } from './shortfall-store.ts'
import { createWorkSubjects } from './work-subjects.ts'

const contents = 3
const numbers = `with recursive n (i) as (select 2 union all select i + 1 from n where i < ${contents + 1})`

/** Contents 2 to 4 with one copy of two: the second is planned at provider 2, and failed there before. */
const lacking = [
  `insert into data_sets (id, bucket_id, slot, generation, provider_id, provider_address, payee, service_url, client_data_set_id, chain_id, state, created_at, updated_at)
   values (2, 1, 1, 1, '2', '', '', 'http://127.0.0.1:9', '2', '8', 'ready', 0, 0)`,
  `insert into contents (id, bucket_id, identity, size, ref_count, current_count, target_copies, store_state, created_at, updated_at)
   ${numbers} select i, 1, cast(i as text), 5, 1, 1, 2, 'storing', 0, 0 from n`,
  `insert into object_versions (bucket_id, key, rseq, version_id, content_id, is_delete_marker, size, etag, content_type, created_at)
   ${numbers} select 1, 'k' || i, -1, 'v' || i, i, 0, 5, 'e', 't', 0 from n`,
  `insert into object_heads (bucket_id, key, version_id, rseq, content_id, size, etag, last_modified)
   ${numbers} select 1, 'k' || i, 'v' || i, -1, i, 5, 'e', 0 from n`,
  `insert into pieces (id, content_id, part_no, offset_bytes, length) ${numbers} select i, i, 0, 0, 5 from n`,
  `insert into copies (id, piece_id, content_id, data_set_id, slot, state, method, chain_piece_id, created_at, updated_at)
   ${numbers} select i, i, i, 1, 0, 'committed', 'store', cast(i + 100 as text), 0, 0 from n`,
  `insert into copies (id, piece_id, content_id, data_set_id, slot, state, method, last_error_code, last_error, created_at, updated_at)
   ${numbers} select i + 10, i, i, 2, 1, 'planned', 'pull', 'refused', 'no more pieces', 0, 0 from n`,
]
const wait = (key: string) => `update tasks set wait_reason = 'provider', run_at = 5000 where key = '${key}'`
const failedSet = `update tasks set subject_type = 'storage_data_set', subject_key = '2' where key = 'storage_pull:2' and status = 'failed'`

async function open(config: Readonly<Record<string, string | boolean>>) {
  const { database, change, queue } = await startResting(config)
  await change('delete from tasks', ...seeds, ...lacking, `update contents set store_state = 'stored' where id = 1`)
  const list = (query: Partial<Parameters<typeof listShortfall>[1]> = {}) =>
    listShortfall(
      { database, queue },
      { bucketId: undefined, work: undefined, providerId: undefined, after: undefined, limit: 50, ...query },
    )
  const { ofWork } = createContentViews({ database, queue, uploadOf: () => null })
  const keyed = async (work: CopyWork) => [...(await ofWork([1, 2, 3, 4, 99], work)).keys()].sort()
  return { change, database, list, keyed, counts: () => countStates(database, queue) }
}

test.for(engines)(
  'I-43: on $engine objects below their target are counted, listed and explained as what happens to them',
  async ({ config }) => {
    const { change, counts, database, keyed, list } = await open(await config())
    expect(await counts()).toMatchObject({
      byWork: { stuck: 3, waiting: 0, working: 0 },
      causes: [{ work: 'stuck', providerId: '2', reason: 'refused', message: 'no more pieces', objects: 3 }],
    })
    // A failed task is no work, dismissed or not.
    await change(taskRow('storage_pull:2', 'failed'), failedSet)
    expect((await counts()).byWork.stuck).toBe(3)
    expect([...(await failedTasksByProvider(database.read, 10))]).toEqual([['2', 1]])
    await change('update tasks set acknowledged_at = 1')
    expect((await counts()).byWork.stuck).toBe(3)
    expect([...(await failedTasksByProvider(database.read, 10))]).toEqual([])

    await change(taskRow('storage_pull:2'))
    expect((await counts()).byWork).toEqual({ stuck: 0, waiting: 0, working: 3 })
    await change(wait('storage_pull:2'))
    const waiting = await counts()
    expect([waiting.byWork, waiting.byBucket.get(1)]).toEqual([
      { stuck: 0, waiting: 3, working: 0 },
      { stuck: 0, waiting: 3, working: 0 },
    ])
    expect(waiting.causes).toMatchObject([{ work: 'waiting', providerId: '2', reason: 'provider', objects: 3 }])
    const page = await list({ work: 'waiting', limit: 2 })
    expect((await nameShortfall({ database }, page.found)).map(({ version, copies }) => [version.key, copies])).toMatchObject([
      ['k2', { target: 2, stored: 1, waitReason: 'provider', waitUntilMs: 5000 }],
      ['k3', { target: 2, stored: 1 }],
    ])
    const rest = await list({ work: 'waiting', limit: 2, after: page.next })
    expect([rest.found.map(({ content }) => content.contentId), rest.next]).toEqual([[4], undefined])
    const found = async (query: Parameters<typeof list>[0]) => (await list(query)).found.length
    expect([await found({ work: 'stuck' }), await found({ providerId: '2' }), await found({ providerId: '1' })]).toEqual([0, 3, 0])
    expect([await found({ bucketId: 1 }), await found({ bucketId: 2 })]).toEqual([3, 0])

    await change(taskRow('storage_store:2'))
    expect((await counts()).byWork).toEqual({ stuck: 0, waiting: 2, working: 1 })
    // Given contents are sorted out, as in a list by key.
    expect([await keyed('complete'), await keyed('stuck'), await keyed('waiting'), await keyed('working')]).toEqual([[1], [], [3, 4], [2]])
  },
)

test.for(engines)('on $engine subjects of tasks have the names of buckets, keys and providers', async ({ config }) => {
  const { database } = await open(await config())
  const subjects = createWorkSubjects({ database, providerName: (id) => (id === '2' ? 'second' : undefined) })
  const asked = [
    { type: 'storage_content', key: '3' },
    { type: 'storage_data_set', key: '2' },
    { type: 'storage_data_set', key: '1' },
    { type: 'storage_data_set', key: '99' },
    { type: 'system', key: 'cache' },
  ]
  const { nameOf } = await subjects.name(asked)
  expect(asked.map(nameOf)).toEqual([
    { bucket: 'photos', key: 'k3' },
    { bucket: 'photos', providerId: '2', providerName: 'second' },
    { bucket: 'photos', providerId: '1' },
    undefined,
    undefined,
  ])
})
