import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { database as databaseService, taskQueue } from '#kernel'
import { allRows, describeOnEngines, runSql, testKernel } from '#kernel/testing'
import { walletMigrations } from '../migrations.ts'
import { walletPlugin } from '../plugin.ts'

// Nothing listens there: the start needs no chain node.
const config = {
  'chain.rpc_url': 'http://127.0.0.1:9',
  'chain.allow_private_networks': true,
  'chain.private_key': `0x${'1'.repeat(64)}`,
}

const add = `insert into wallet_operations (type, client_request_id, amount, status, raw_tx, tx_hash, chain_nonce, created_at, updated_at)
  values ('terminate', ?, '0', ?, ?, ?, ?, 0, 0)`

test('I-04 I-43: after a kill each operation that is not final has a task, whether or not it was signed', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-wallet-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const start = () => testKernel({ plugins: [walletPlugin], config, dir })
  {
    await using svc = await start()
    await svc.kernel.get(databaseService).write(async (tx) => {
      await runSql(tx, add, 'unsigned', 'pending', null, null, null)
      await runSql(tx, add, 'signed', 'submitted', '0x01', '0x02', 3)
      await runSql(tx, add, 'doubted', 'unknown', '0x03', '0x04', 3)
      await runSql(tx, add, 'failed', 'failed', '0x05', '0x06', 3)
    })
  }
  await using svc = await start()
  const keys = ['unsigned', 'signed', 'doubted', 'failed'].map((id) => `wallet_operation:terminate:${id}`)
  const open = await svc.kernel.get(taskQueue).openKeys(svc.kernel.get(databaseService).read, keys)
  expect([...open].sort()).toEqual([keys[2], keys[1], keys[0]])
})

await describeOnEngines('operations of versions that did not record what to sign', ({ dialect, open }) => {
  test('have failed if they were not signed; one whose nonce another transaction used has failed too', async () => {
    await using database = await open([{ name: 'wallet', migrations: walletMigrations }])
    await database.write(async (tx) => {
      await runSql(tx, add, 'unsigned', 'pending', null, null, null)
      await runSql(tx, add, 'signed', 'submitted', '0x01', '0x02', 3)
      await runSql(tx, add, 'signed-pending', 'pending', '0x04', '0x05', 4)
      await runSql(tx, add, 'displaced', 'unknown', '0x06', '0x07', 4)
      const migration = walletMigrations.find(({ name }) => name === '0005-turn')
      const texts = (dialect === 'sqlite' ? migration?.statements : migration?.postgresStatements) ?? []
      for (const text of texts.map(String).filter((one) => one.startsWith('update'))) await runSql(tx, text)
    })
    const found = 'select client_request_id as id, status, last_error as error from wallet_operations order by client_request_id'
    expect(await allRows(database.read, found)).toEqual([
      { id: 'displaced', status: 'failed', error: null },
      { id: 'signed', status: 'submitted', error: null },
      { id: 'signed-pending', status: 'pending', error: null },
      { id: 'unsigned', status: 'failed', error: 'svc stopped before the transaction was signed' },
    ])
  })
})
