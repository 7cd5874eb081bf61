import { TransactionNotFoundError, TransactionReceiptNotFoundError } from 'viem'
import { expect, test } from 'vitest'
import { allRows, createFakeClock, openTestDatabase, silentLog } from '#kernel/testing'
import { openAccount } from '../chain/clients.ts'
import type { Chain } from '../contract.ts'
import { walletMigrations } from '../migrations.ts'
import { createOperationStore } from './operation-store.ts'
import { createPayerTerminations } from './payer-terminations.ts'
import { createWalletTurn } from './wallet-turn.ts'

const key = `0x${'1'.repeat(64)}` as const
const generous = { feePerGasMax: 10n ** 12n, totalMax: 10n ** 18n }

/** The wallet of a chain whose node holds, loses or mines what it gets. */
async function openScene(fees = generous) {
  const database = await openTestDatabase([{ name: 'wallet', migrations: walletMigrations }])
  const clock = createFakeClock(1_700_000_000_000)
  const scene = {
    /** Hashes are not needed: the bytes of each request to send. */
    sent: [] as string[],
    pool: new Set<string>(),
    mined: new Map<string, 'success' | 'reverted'>(),
    /** Transactions of the wallet that are final. */
    nonce: 3,
    isAnswerLost: false,
    isLost: false,
    /** Another writer ends each operation as soon as it is created. */
    isEndedByAnother: false,
  }
  const { keccak256 } = await import('viem')
  const publicClient = {
    chain: undefined,
    estimateGas: async () => 100_000n,
    estimateFeesPerGas: async () => ({ maxFeePerGas: 1000n, maxPriorityFeePerGas: 10n }),
    getTransactionCount: async () => scene.nonce,
    async sendRawTransaction({ serializedTransaction }: { serializedTransaction: `0x${string}` }) {
      scene.sent.push(serializedTransaction)
      if (!scene.isLost) scene.pool.add(keccak256(serializedTransaction))
      if (scene.isAnswerLost) throw new Error('no answer')
    },
    async getTransaction({ hash }: { hash: `0x${string}` }) {
      if (scene.isAnswerLost) throw new Error('no answer')
      if (!scene.pool.has(hash)) throw new TransactionNotFoundError({ hash })
      return {}
    },
    async getTransactionReceipt({ hash }: { hash: `0x${string}` }) {
      const status = scene.mined.get(hash)
      if (!status) throw new TransactionReceiptNotFoundError({ hash })
      return { status, blockNumber: 5n }
    },
  }
  const chain = {
    network: { chainId: 31415926, epochSeconds: 1, contracts: { fwss: `0x${'f'.repeat(40)}` } },
    finalEpoch: async () => 10n,
    publicClient,
  } as unknown as Chain
  const operations = createOperationStore(database)
  const store: typeof operations = {
    ...operations,
    async create(request) {
      const operation = await operations.create(request)
      if (scene.isEndedByAnother) await operations.finish(operation.id, { status: 'failed', nowMs: 0 })
      return operation
    },
  }
  const turn = createWalletTurn()
  const deps = { chain, signer: openAccount(key), store, turn, clock, log: silentLog, fees }
  return {
    scene,
    turn,
    payer: createPayerTerminations(deps),
    /** Mines the transactions in the pool. */
    mine(status: 'success' | 'reverted' = 'success') {
      for (const hash of scene.pool) scene.mined.set(hash, status)
      scene.nonce += scene.pool.size
      scene.pool.clear()
    },
    rows: () =>
      allRows<{ id: string; status: string }>(database.read, 'select client_request_id as id, status from wallet_operations order by id'),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

test('a termination is recorded with its bytes, sent once, and followed until it is final', async () => {
  await using wallet = await openScene()
  const { payer, scene, mine } = wallet
  expect(await payer.follow('a')).toEqual({ kind: 'unsent' })
  expect(await payer.begin({ id: 'a', dataSetId: 7n })).toEqual({ kind: 'sent' })
  expect(await payer.follow('a')).toEqual({ kind: 'open' })
  mine()
  expect(await payer.follow('a')).toEqual({ kind: 'confirmed' })
  expect(await payer.follow('a')).toEqual({ kind: 'confirmed' })
  expect(scene.sent).toHaveLength(1)
  expect(await wallet.rows()).toMatchObject([{ id: 'a', status: 'confirmed' }])
})

test('I-05: after a lost answer the same bytes are sent again only when no node knows them', async () => {
  await using wallet = await openScene()
  const { payer, scene, mine } = wallet
  scene.isAnswerLost = true
  scene.isLost = true
  expect(await payer.begin({ id: 'a', dataSetId: 7n })).toEqual({ kind: 'sent' })
  Object.assign(scene, { isAnswerLost: false, isLost: false })
  expect(await payer.follow('a')).toEqual({ kind: 'open' })
  expect(await payer.follow('a')).toEqual({ kind: 'open' })
  mine()
  expect(await payer.follow('a')).toEqual({ kind: 'confirmed' })
  expect([scene.sent.length, new Set(scene.sent).size]).toEqual([2, 1])
})

test('a second transaction waits until the first one is final', async () => {
  await using wallet = await openScene()
  const { payer, scene, turn, mine } = wallet
  await payer.begin({ id: 'a', dataSetId: 7n })
  expect(await payer.begin({ id: 'b', dataSetId: 8n })).toEqual({ kind: 'queued' })
  mine()
  // While another operation of the wallet runs, nothing is signed or looked up.
  const { promise, resolve } = Promise.withResolvers<void>()
  const other = turn.run(() => promise)
  expect([await payer.begin({ id: 'b', dataSetId: 8n }), await payer.follow('a')]).toEqual([{ kind: 'queued' }, { kind: 'open' }])
  resolve()
  await other
  expect(await payer.begin({ id: 'b', dataSetId: 8n })).toEqual({ kind: 'sent' })
  expect(await wallet.rows()).toMatchObject([
    { id: 'a', status: 'confirmed' },
    { id: 'b', status: 'submitted' },
  ])
  expect(scene.sent).toHaveLength(2)
})

test('a reverted and a replaced transaction have failed', async () => {
  await using wallet = await openScene()
  const { payer, scene, mine } = wallet
  await payer.begin({ id: 'a', dataSetId: 7n })
  mine('reverted')
  expect(await payer.follow('a')).toMatchObject({ kind: 'failed', message: expect.stringContaining('reverted') })
  await payer.begin({ id: 'b', dataSetId: 7n })
  scene.pool.clear()
  scene.nonce += 1
  expect(await payer.follow('b')).toMatchObject({ kind: 'failed', message: expect.stringContaining('another transaction used its nonce') })
})

test('I-04: a request whose operation ended before its bytes were recorded is not reported as sent', async () => {
  await using wallet = await openScene()
  const { payer, scene } = wallet
  scene.isEndedByAnother = true
  expect(await payer.begin({ id: 'a', dataSetId: 7n })).toEqual({ kind: 'queued' })
  expect(scene.sent).toEqual([])
})

test('I-33: a fee above the limit is refused before anything is signed or recorded', async () => {
  await using wallet = await openScene({ feePerGasMax: 1n, totalMax: 1n })
  expect(await wallet.payer.begin({ id: 'a', dataSetId: 7n })).toMatchObject({
    kind: 'refused',
    reason: 'fee',
    message: expect.stringContaining('chain.spending.max_fee_per_gas_nanofil'),
  })
  expect([wallet.scene.sent, await wallet.rows()]).toEqual([[], []])
})
