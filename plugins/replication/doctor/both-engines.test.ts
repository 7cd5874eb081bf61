/** Every statement of the checks and fixes on both engines: in a kernel without a chain, with rows that a test damages. */
import { expect, test } from 'vitest'
import { allRows } from '#kernel/testing'
import { engines, seeds, startResting as start, taskRow } from '../testing/resting-kernel.ts'
import { findPiece, unrecordedIds } from './chain-store.ts'

const damages = [
  'update contents set durable_copies = 0, current_count = 7',
  'update data_set_totals set committed_copies = 9, current_versions = 9',
  `insert into wallet_operations (type, client_request_id, amount, status, created_at, updated_at) values ('fund', 'x', '1', 'pending', 0, 0)`,
]

/** Their findings depend on the disk and the server of the tests. */
const ofThisMachine = ['kernel.directories', 'kernel.database-server']

/** Names of the checks that find something, and their fixes. */
async function inspect({ checks, look }: Pick<Awaited<ReturnType<typeof start>>['doctor'], 'checks' | 'look'>, sample?: number) {
  const found: Record<string, readonly string[]> = {}
  for (const { name, needs } of checks()) {
    if (needs !== undefined || ofThisMachine.includes(name)) continue
    let after: string | undefined
    do {
      const page = await look(name, { after, sample })
      for (const { fix, subject } of page.findings) {
        found[name] = [...(found[name] ?? []), fix === undefined ? `${subject.kind} ${subject.id}` : `${fix.name} ${fix.target}`]
      }
      after = page.next
    } while (after !== undefined)
  }
  return found
}

test.for(engines)('I-19 I-29: on $engine damage is found and repaired', async ({ config }) => {
  const { database, change, doctor } = await start(await config())
  expect(await inspect(doctor)).toEqual({})
  // The chain and the providers are not asked without rows.
  for (const { name, needs } of doctor.checks()) {
    if (needs !== 'network' || name === 'wallet.chain-clock') continue
    for (const sample of [undefined, 5]) expect(await doctor.look(name, { sample }), name).toEqual({ findings: [], compared: 0 })
  }

  await change(...seeds, ...damages)
  expect(await inspect(doctor, 5)).toEqual({
    'wallet.operations': ['wallet operation 1'],
    'storage.counts': ['storage.bucket-counts 1', 'storage.current-count 1'],
    'replication.copies': ['storage.recount 1'],
    'replication.data-sets': ['replication.data-set-totals 1', 'replication.data-set-totals 1'],
  })
  const fixes = [
    ['storage.bucket-counts', '1'],
    ['storage.current-count', '1'],
    ['storage.recount', '1'],
    ['replication.data-set-totals', '1'],
  ] as const
  for (const name of [...fixes.map(([name]) => name), 'replication.resume-content', 'replication.resume-data-set']) {
    for (const target of ['', '0', '1.5', '0x1', '1e0', ' 1', '-1', 'NaN', '1\0', '9'.repeat(16)]) {
      await expect(doctor.fix(name, target), `${name} ${target}`).rejects.toMatchObject({ code: 'doctor_fix_target_invalid' })
    }
  }
  for (const [name, target] of fixes) expect(await doctor.fix(name, target), name).toBe(true)
  expect(await doctor.fix('storage.recount', '99')).toBe(false)
  expect(await inspect(doctor)).toEqual({ 'wallet.operations': ['wallet operation 1'] })

  expect(await findPiece(database.read, 1)).toMatchObject({ dataSetId: '7', pieceId: '3', pieceCid: 'baga', bucket: 'photos', key: 'cat' })
  expect(await unrecordedIds(database.read, 1, ['2', '3'])).toEqual(['2'])
})

test.for(engines)(
  'I-27: on $engine a copy is compared with the chain unless a removal of its piece may have an effect',
  async ({ config }) => {
    const { database, change } = await start(await config())
    const attempt = `insert into removal_attempts (id, data_set_id, extra_data, started_at, updated_at) values (1, 1, '0x', 0, 0)`
    await change(...seeds, attempt)
    const isCompared = async (state: string, pieceId = '3') => {
      await change(
        'delete from removals',
        `insert into removals (data_set_id, chain_piece_id, copy_id, content_id, state, attempt_id, created_at, updated_at)
         values (1, '${pieceId}', 1, 1, '${state}', ${state === 'pending' ? 'null' : 1}, 0, 0)`,
      )
      return (await findPiece(database.read, 1)) !== undefined
    }
    const compared = ['pending', 'removed', 'data_set_ended']
    for (const state of [...compared, 'submitting', 'submitted', 'uncertain', 'scheduled']) {
      expect(await isCompared(state), state).toBe(compared.includes(state))
      // A surplus piece of the same copy.
      expect(await isCompared(state, '2'), state).toBe(true)
    }
  },
)

test.for(engines)(
  'I-29 I-43: on $engine a copy without a task is found in each state, and the fix enqueues its task',
  async ({ config }) => {
    const { database, change, doctor } = await start(await config())
    await change(...seeds)
    const content = { name: 'replication.resume-content', target: '1' }
    const dataSet = { name: 'replication.resume-data-set', target: '1' }
    const states = [
      { state: 'planned', dataSetState: 'ready', kind: 'storage_store', fix: content },
      { state: 'transferring', dataSetState: 'ready', kind: 'storage_store', fix: content },
      { state: 'parked', dataSetState: 'creating', kind: 'storage_dataset_ensure', fix: dataSet },
      { state: 'planned', dataSetState: 'planned', kind: 'storage_dataset_ensure', fix: dataSet, open: 'storage_store:1' },
      { state: 'parked', dataSetState: 'ready', kind: 'storage_commit', fix: dataSet },
    ]
    for (const { state, dataSetState, kind, fix, open } of states) {
      await change(
        'delete from tasks',
        ...(open === undefined ? [] : [taskRow(open)]),
        `update data_sets set state = '${dataSetState}'`,
        `update copies set state = '${state}', chain_piece_id = null`,
      )
      const stuck = async () => (await inspect(doctor))['replication.stuck-copies'] ?? []
      expect(await stuck(), state).toEqual([`${fix.name} 1`])
      expect(await doctor.fix(fix.name, '1')).toBe(true)
      expect(await allRows(database.read, `select kind from tasks where key like 'storage_%' and key <> '${open ?? ''}'`)).toEqual([
        { kind },
      ])
      expect(await stuck()).toEqual([])
      expect(await doctor.fix(fix.name, '1')).toBe(false)
      // A failed task does not work, dismissed or not.
      await change(`update tasks set status = 'failed' where kind = '${kind}'`)
      expect(await stuck(), state).toEqual([`${fix.name} 1`])
    }
  },
)

test.for(engines)(
  'on $engine a content with fewer rows of copies than its target is stored again only after its task failed',
  async ({ config }) => {
    const { change, doctor } = await start(await config())
    const found = async () => (await inspect(doctor))['replication.stuck-copies'] ?? []
    await change(...seeds)
    expect(await found()).toEqual([])
    // The row of a copy may be lost without a failed task, and another copy would be paid for twice: no fix.
    await change('delete from copies')
    expect(await found()).toEqual(['content 1'])
    expect(await doctor.fix('replication.resume-content', '1')).toBe(false)
    for (const status of ['pending', 'running', 'failed', 'completed', 'cancelled']) {
      await change('delete from tasks', taskRow('storage_store:1', status))
      const expected =
        status === 'failed' ? ['replication.resume-content 1'] : ['completed', 'cancelled'].includes(status) ? ['content 1'] : []
      expect(await found(), status).toEqual(expected)
    }
    await change('delete from tasks', taskRow('storage_store:11'))
    expect(await found()).toEqual(['content 1'])
    const states = [
      [`update contents set store_state = 'lost'`, `update contents set store_state = 'storing'`],
      [`update contents set state = 'deleting'`, `update contents set state = 'live'`],
      ['update contents set part_count = 1', 'update contents set part_count = 0'],
      ['update contents set size = 0', 'update contents set size = 5'],
      [`update copy_keepers set was_absent = 1`, `update copy_keepers set was_absent = 0`],
    ] as const
    for (const [other, back] of states) {
      await change(other)
      expect(await found(), other).toEqual([])
      await change(back)
      expect(await found(), back).toEqual(['content 1'])
    }
  },
)

test.for(engines)(
  'I-36 I-43: on $engine removals and the end of a data set without a task are found, and the fix enqueues them once',
  async ({ config }) => {
    const { database, change, doctor } = await start(await config())
    await change(...seeds)
    const stuck = async () => (await inspect(doctor))['replication.stuck-copies'] ?? []
    const kinds = async () =>
      (await allRows(database.read, `select kind from tasks where key like 'storage_%:%' order by id`)).map(({ kind }) => kind)
    const finding = 'replication.resume-data-set 1'
    expect(await stuck()).toEqual([])
    await change(`insert into data_set_endings (data_set_id, state, path, requested_at, updated_at) values (1, 'pending', 'relay', 0, 0)`)
    expect(await stuck()).toEqual([finding])
    expect([await doctor.fix('replication.resume-data-set', '1'), await kinds()]).toEqual([true, ['storage_dataset_end']])
    expect([await stuck(), await doctor.fix('replication.resume-data-set', '1')]).toEqual([[], false])
    // Its end waits for a creation that no task follows.
    await change(`update data_sets set state = 'creating', chain_id = null`)
    expect(await stuck()).toEqual([finding])
    expect([await doctor.fix('replication.resume-data-set', '1'), await stuck()]).toEqual([true, []])
    expect(await kinds()).toEqual(['storage_dataset_end', 'storage_dataset_ensure'])
    await change(
      'delete from tasks',
      'delete from data_set_endings',
      `update data_sets set state = 'ready', chain_id = '7'`,
      `insert into removals (data_set_id, chain_piece_id, copy_id, content_id, state, created_at, updated_at) values (1, '3', 1, 1, 'pending', 0, 0)`,
    )
    expect(await stuck()).toEqual([finding])
    expect([await doctor.fix('replication.resume-data-set', '1'), await stuck(), await kinds()]).toEqual([true, [], ['storage_cleanup']])
  },
)
