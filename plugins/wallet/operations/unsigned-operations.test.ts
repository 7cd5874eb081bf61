import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { database as databaseService } from '#kernel'
import { allRows, runSql, testKernel } from '#kernel/testing'
import { walletPlugin } from '../plugin.ts'

// Nothing listens there: the start needs no chain node.
const config = {
  'chain.rpc_url': 'http://127.0.0.1:9',
  'chain.allow_private_networks': true,
  'chain.private_key': `0x${'1'.repeat(64)}`,
}

test('I-04: an operation that was not signed before a kill has failed after the next start; one with bytes stays open', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-wallet-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const start = () => testKernel({ plugins: [walletPlugin], config, dir })
  {
    await using svc = await start()
    await svc.kernel.get(databaseService).write(async (tx) => {
      const add = `insert into wallet_operations (type, client_request_id, amount, status, raw_tx, tx_hash, chain_nonce, created_at, updated_at)
        values ('terminate', ?, '0', ?, ?, ?, ?, 0, 0)`
      await runSql(tx, add, 'unsigned', 'pending', null, null, null)
      await runSql(tx, add, 'signed', 'submitted', '0x01', '0x02', 3)
      await runSql(tx, add, 'signed-pending', 'pending', '0x04', '0x05', 4)
    })
  }
  await using svc = await start()
  const found = 'select client_request_id as id, status, last_error as error from wallet_operations order by client_request_id'
  expect(await allRows(svc.kernel.get(databaseService).read, found)).toEqual([
    { id: 'signed', status: 'submitted', error: null },
    { id: 'signed-pending', status: 'pending', error: null },
    { id: 'unsigned', status: 'failed', error: 'svc stopped before the transaction was signed' },
  ])
})
