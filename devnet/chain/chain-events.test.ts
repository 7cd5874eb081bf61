import { expect, test } from 'vitest'
import { startFixture } from '../testing/fixture.ts'
import { until } from '../testing/provider-calls.ts'
import { userAccount } from './accounts.ts'
import { openChainEvents } from './chain-events.ts'
import { createAnvilCall, createChainSigner } from './rpc.ts'

test('subscribers are called for a new block and for a pending transaction, until they unsubscribe', async () => {
  await using fixture = await startFixture({ providers: 1, blockTimeSeconds: 0 })
  const { chain, rpcUrl } = fixture.devnet
  using events = await openChainEvents(rpcUrl, () => undefined)
  let [heads, transactions] = [0, 0]
  const unsubscribe = events.subscribe('newHeads', () => heads++)
  events.subscribe('newPendingTransactions', () => transactions++)
  await chain.mine()
  await until('the block is notified', () => heads === 1)
  await chain.hold()
  const { address, privateKey } = userAccount(2)
  await createChainSigner(rpcUrl, privateKey).send({ to: address, data: '0x', gas: 30_000n })
  await until('the transaction is notified', () => transactions === 1)
  expect(heads).toBe(1)
  unsubscribe()
  const onNext = new Promise<void>((resolve) => events.subscribe('newHeads', resolve))
  await createAnvilCall(rpcUrl)('evm_mine')
  await onNext
  expect(heads).toBe(1)
})

test('a lost connection is logged', async () => {
  const lines: string[] = []
  const fixture = await startFixture({ providers: 1, blockTimeSeconds: 0 })
  using _ = await openChainEvents(fixture.devnet.rpcUrl, (line) => lines.push(line))
  await fixture[Symbol.asyncDispose]()
  await until('the line is logged', () => lines.length === 1)
  expect(lines[0]).toMatch(/^connection for notifications of the chain closed/)
})
