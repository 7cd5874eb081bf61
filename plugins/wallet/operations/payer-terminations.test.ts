import { parseTransaction, TransactionNotFoundError, TransactionReceiptNotFoundError } from 'viem'
import { expect, test } from 'vitest'
import { allRows, createFakeClock, openTestDatabase, silentLog, watchProbes } from '#kernel/testing'
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
    baseFee: 100n,
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
    estimateFeesPerGas: async () => ({ maxFeePerGas: scene.baseFee * 10n, maxPriorityFeePerGas: 10n }),
    getBlock: async () => ({ baseFeePerGas: scene.baseFee }),
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
  const deps = { chain, signer: openAccount(key), store, clock, log: silentLog, fees }
  return {
    scene,
    turn,
    payer: createPayerTerminations({ ...deps, turn }),
    /** As after a kill: the run of the process before never continues. */
    restart: () => createPayerTerminations({ ...deps, turn: createWalletTurn() }),
    /** Mines the transactions in the pool. */
    mine(status: 'success' | 'reverted' = 'success') {
      for (const hash of scene.pool) scene.mined.set(hash, status)
      scene.nonce += scene.pool.size
      scene.pool.clear()
    },
    rows: () =>
      allRows<{ id: string; status: string }>(database.read, 'select client_request_id as id, status from wallet_operations order by id'),
    /** Hashes of the transactions that were replaced. */
    replaced: async () =>
      (await allRows<{ hash: string }>(database.read, 'select tx_hash as hash from wallet_replaced order by id')).map(({ hash }) => hash),
    newest: async () =>
      (await allRows<{ hash: string }>(database.read, 'select tx_hash as hash from wallet_operations order by id')).map(({ hash }) => hash),
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

const feesOf = (raw: string | undefined) => {
  const { nonce, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n, to, data } = parseTransaction((raw ?? '0x') as `0x${string}`)
  return { nonce, maxFeePerGas, maxPriorityFeePerGas, to, data }
}

/** The fee cap of the first transaction is 1000. */
async function openUnderpriced(fees = generous) {
  const wallet = await openScene(fees)
  expect(await wallet.payer.begin({ id: 'a', dataSetId: 7n })).toEqual({ kind: 'sent' })
  wallet.scene.baseFee = 2000n
  return wallet
}

test('I-44: a transaction below the base fee is replaced under its nonce, and the next one follows', async () => {
  await using wallet = await openUnderpriced()
  const { payer, scene } = wallet
  const [first = ''] = await wallet.newest()
  expect(await payer.follow('a')).toEqual({ kind: 'open' })
  const [before, after] = scene.sent.map(feesOf)
  expect(after).toEqual({ ...before, maxFeePerGas: 20_000n, maxPriorityFeePerGas: 13n })
  expect(await wallet.replaced()).toEqual([first])
  // Its fee is high enough now: it is not replaced again.
  expect(await payer.follow('a')).toEqual({ kind: 'open' })
  expect(await payer.begin({ id: 'b', dataSetId: 8n })).toEqual({ kind: 'queued' })
  expect(scene.sent).toHaveLength(2)
  scene.pool.delete(first)
  wallet.mine()
  expect(await payer.begin({ id: 'b', dataSetId: 8n })).toEqual({ kind: 'sent' })
  expect(await wallet.rows()).toMatchObject([
    { id: 'a', status: 'confirmed' },
    { id: 'b', status: 'submitted' },
  ])
  expect(feesOf(scene.sent[2]).nonce).toBe((before?.nonce ?? 0) + 1)
})

test('I-44: the replaced transaction may land instead, and is found by its own hash', async () => {
  await using wallet = await openUnderpriced()
  const { payer, scene } = wallet
  const [first = ''] = await wallet.newest()
  await payer.follow('a')
  scene.pool.clear()
  scene.pool.add(first)
  wallet.mine()
  expect(await payer.follow('a')).toEqual({ kind: 'confirmed' })
  expect(scene.sent).toHaveLength(2)
})

test('I-44: neither of them lands when another transaction used the nonce', async () => {
  await using wallet = await openUnderpriced()
  await wallet.payer.follow('a')
  wallet.scene.pool.clear()
  wallet.scene.nonce += 1
  expect(await wallet.payer.follow('a')).toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('another transaction used its nonce'),
  })
})

test.for(['wallet.replacement.recorded', 'wallet.replacement.sent'])('I-04 I-44: killed at %s, one replacement is sent', async (probe) => {
  await using wallet = await openUnderpriced()
  const { payer, scene } = wallet
  const [first = ''] = await wallet.newest()
  using probes = watchProbes()
  using held = probes.holdAt(probe)
  void payer.follow('a')
  await held.reached
  expect(await wallet.replaced()).toEqual([first])
  scene.pool.delete(first)
  const restarted = wallet.restart()
  expect(await restarted.follow('a')).toEqual({ kind: 'open' })
  expect(await restarted.follow('a')).toEqual({ kind: 'open' })
  expect(new Set(scene.sent).size).toBe(2)
  expect(scene.sent).toHaveLength(2)
  wallet.mine()
  expect(await restarted.follow('a')).toEqual({ kind: 'confirmed' })
})

test('I-33: a replacement above a limit is not signed; what waits names the limit, and continues when the fee falls', async () => {
  await using wallet = await openUnderpriced({ feePerGasMax: 1500n, totalMax: 10n ** 18n })
  const { payer, scene } = wallet
  const message = expect.stringMatching(
    /nonce 3 pays less than the base fee.*above the .* of chain\.spending\.max_fee_per_gas_nanofil.*raise the setting/s,
  )
  expect(await payer.follow('a')).toEqual({ kind: 'open', message })
  expect(await payer.begin({ id: 'b', dataSetId: 8n })).toEqual({ kind: 'queued', message })
  expect([scene.sent.length, await wallet.replaced()]).toEqual([1, []])
  scene.baseFee = 100n
  expect(await payer.follow('a')).toEqual({ kind: 'open' })
  wallet.mine()
  expect(await payer.begin({ id: 'b', dataSetId: 8n })).toEqual({ kind: 'sent' })
})

test('I-44: a transaction that every pool dropped below the base fee is replaced, and its bytes are not sent again', async () => {
  await using wallet = await openUnderpriced()
  const { payer, scene } = wallet
  scene.pool.clear()
  expect(await payer.follow('a')).toEqual({ kind: 'open' })
  expect(new Set(scene.sent).size).toBe(2)
  wallet.mine()
  expect(await payer.follow('a')).toEqual({ kind: 'confirmed' })
})
