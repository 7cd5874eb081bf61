import { expect, test } from 'vitest'
import { runCommand } from '#cli/testing'
import { database } from '#kernel'
import { getRow, runSql, testKernel } from '#kernel/testing'
import { walletPlugin } from '../plugin.ts'
import { walletCommands } from './commands.ts'

const config = { 'chain.private_key': '42'.repeat(32), 'chain.rpc_url': 'http://127.0.0.1:9/' }

test('a wait ends with the next step when newer operations push the awaited one out of the list', async () => {
  await using svc = await testKernel({ plugins: [walletPlugin], config })
  const data = svc.kernel.get(database)
  const fund = walletCommands.find(({ name }) => name === 'admin wallet fund')
  const ended = runCommand(fund, svc, { parameters: { amount: '1.5' }, flags: { wait: true, requestId: 'mine' } })
  const refused = expect(ended).rejects.toThrow(
    'operation 1 is no longer among the newest 100, so its end cannot be waited for; it continues. ' +
      'Repeat svc admin wallet fund 1.5 --request-id mine to see it: nothing more is paid',
  )
  await expect.poll(() => getRow(data.read, "select id from wallet_operations where client_request_id = 'mine'")).toBeDefined()
  await data.write(async (tx) => {
    const insert = `insert into wallet_operations (type, client_request_id, amount, status, created_at, updated_at) values ('approve', ?, '0', 'confirmed', 1, 1)`
    for (let index = 0; index < 100; index++) await runSql(tx, insert, `later-${index}`)
  })
  await refused
})
