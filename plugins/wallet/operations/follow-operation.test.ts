import { channel } from 'node:diagnostics_channel'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keccak256, parseTransaction, TransactionNotFoundError, TransactionReceiptNotFoundError } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { allRows, createFakeClock, openTestDatabase, runSql, silentLog } from '#kernel/testing'
import { openAccount } from '../chain/clients.ts'
import type { Chain, OperationOutcome } from '../contract.ts'
import { walletMigrations } from '../migrations.ts'
import { testSpending } from '../testing/test-spending.ts'
import { followOperation, type OperationDeps } from './follow-operation.ts'
import type { OperationRecord } from './operation-record-store.ts'
import { createOperationStore, insertOperation, type OperationStore, recoverOperations, reopenOperation } from './operation-store.ts'
import { createSlotStore } from './slot-store.ts'
import { type HeldSlot, openWalletSlot } from './wallet-slot.ts'

const key = `0x${'1'.repeat(64)}` as const
const account = openAccount(key)
const foreignHash = `0x${'f0'.repeat(32)}`
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
    /** The node does not show the transaction of another program that used a nonce. */
    isForeignHidden: false,
  }
  const dir = mkdtempSync(join(tmpdir(), 'svc-slot-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const publicClient = {
    chain: undefined,
    estimateGas: async () => 100_000n,
    estimateFeesPerGas: async () => ({ maxFeePerGas: scene.baseFee * 10n, maxPriorityFeePerGas: 10n }),
    async getBlock({ blockNumber }: { blockNumber?: bigint }) {
      const foreign = { from: account.address.toLowerCase(), nonce: scene.nonce - 1, hash: foreignHash }
      return { baseFeePerGas: scene.baseFee, transactions: blockNumber === undefined || scene.isForeignHidden ? [] : [foreign] }
    },
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
  const scheduled: string[] = []
  const changes: string[] = []
  const records = {
    database,
    wallet: account.address,
    now: clock.now,
    schedule: async (_tx: unknown, { id }: { id: string }) => void scheduled.push(id),
    changed: ({ status }: OperationRecord) => void changes.push(status),
  }
  const slot = openWalletSlot({ configPath: join(dir, 'config.toml'), chainId: chain.network.chainId, address: account.address })
  const deps: OperationDeps = {
    chain,
    signer: account,
    store: createOperationStore(records),
    slot,
    owner: 'service',
    clock,
    log: silentLog,
    ...testSpending,
    fees,
  }
  const follow = (id: string, changed: Partial<OperationDeps> = {}) => followOperation({ ...deps, ...changed }, { type: 'terminate', id })
  return {
    scene,
    slot,
    deps,
    scheduled,
    changes,
    records,
    database,
    follow,
    request: (id: string, dataSetId = 7n) => database.write((tx) => insertOperation(tx, { type: 'terminate', id, dataSetId }, records)),
    /** Requests it and takes the first step. */
    async begin(id: string, changed: Partial<OperationDeps> = {}): Promise<OperationOutcome> {
      await this.request(id)
      return follow(id, changed)
    },
    recover: () => recoverOperations(records),
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

const isOpen = { kind: 'open', reason: 'confirmation' }
const confirmed = { kind: 'confirmed', hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) }

/** Resolves when a process is killed at the probe: its lock is free, and its run never continues. */
function killedAt({ slot, follow }: Awaited<ReturnType<typeof openScene>>, probe: string): Promise<void> {
  const probes = channel('svc.probe')
  const { promise, resolve } = Promise.withResolvers<void>()
  const kill = (message: unknown) => {
    const reached = message as { readonly name: string; held: Promise<void> | undefined }
    if (reached.name !== probe) return
    reached.held = new Promise(() => {})
    probes.unsubscribe(kill)
    held?.[Symbol.dispose]()
    resolve()
  }
  probes.subscribe(kill)
  let held: HeldSlot | undefined
  const hold = () => {
    held = slot.hold()
    return held
  }
  void follow('a', { slot: { ...slot, hold } })
  return promise
}

test('an operation is recorded with its bytes, sent once, and followed until it is final', async () => {
  await using wallet = await openScene()
  const { scene, mine, follow } = wallet
  expect(await follow('a')).toEqual({ kind: 'unsent' })
  expect(await wallet.begin('a')).toEqual(isOpen)
  expect(await follow('a')).toEqual(isOpen)
  mine()
  expect(await follow('a')).toEqual(confirmed)
  expect(await follow('a')).toEqual(confirmed)
  expect(scene.sent).toHaveLength(1)
  expect(await wallet.rows()).toMatchObject([{ id: 'a', status: 'confirmed' }])
  expect(wallet.changes).toEqual(['pending', 'pending', 'submitted', 'confirmed'])
  expect(wallet.slot.read()).toMatchObject({ clientRequestId: 'a', owner: 'service', outcome: 'confirmed' })
})

test('a request with the same id changes nothing; one with another data set is refused', async () => {
  await using wallet = await openScene()
  await Promise.all(Array.from({ length: 20 }, () => wallet.request('a')))
  await expect(wallet.request('a', 8n)).rejects.toMatchObject({ code: 'wallet_idempotency_conflict' })
  expect(await wallet.rows()).toEqual([{ id: 'a', status: 'pending' }])
  expect(new Set(wallet.scheduled)).toEqual(new Set(['a']))
})

test('I-51: an operation that failed before anything was sent is requested again by reopening it; others are not', async () => {
  await using wallet = await openScene({ feePerGasMax: 1n, totalMax: 1n })
  const { database, records, deps, changes } = wallet
  const key = { type: 'approve', id: 'b' } as const
  const reopen = (type: 'approve' | 'terminate', id: string) => database.write((tx) => reopenOperation(tx, { type, id }, records))
  await wallet.begin('sent', { fees: generous })
  await reopen('terminate', 'sent')
  wallet.mine('reverted')
  expect(await wallet.follow('sent')).toMatchObject({ kind: 'failed', isSent: true })
  await reopen('terminate', 'sent')
  expect(await wallet.rows()).toEqual([{ id: 'sent', status: 'failed' }])

  await database.write((tx) => insertOperation(tx, key, records))
  changes.length = 0
  await database.write((tx) =>
    runSql(tx, `update wallet_operations set status = 'failed', last_error = 'too dear' where client_request_id = 'b'`),
  )
  expect(await followOperation(deps, key)).toMatchObject({ kind: 'failed', isSent: false, message: 'too dear' })
  wallet.scheduled.length = 0
  await database.write((tx) => insertOperation(tx, key, records))
  expect(wallet.scheduled).toEqual([])
  await reopen('approve', 'b')
  expect(await wallet.rows()).toMatchObject([{ id: 'b', status: 'pending' }, { id: 'sent' }])
  expect(changes).toEqual(['pending'])
})

test('I-05: after a lost answer the same bytes are sent again only when no node knows them', async () => {
  await using wallet = await openScene()
  const { scene, mine, follow } = wallet
  scene.isAnswerLost = true
  scene.isLost = true
  expect(await wallet.begin('a')).toEqual(isOpen)
  Object.assign(scene, { isAnswerLost: false, isLost: false })
  expect(await follow('a')).toEqual(isOpen)
  expect(await follow('a')).toEqual(isOpen)
  mine()
  expect(await follow('a')).toEqual(confirmed)
  expect([scene.sent.length, new Set(scene.sent).size]).toEqual([2, 1])
})

test('I-50: no other process can hold the slot before the step has ended', async () => {
  await using wallet = await openScene()
  const seen: [name: string, isFree: boolean][] = []
  const look = (message: unknown) => {
    using held = wallet.slot.hold()
    seen.push([(message as { readonly name: string }).name, held !== undefined])
  }
  channel('svc.probe').subscribe(look)
  onTestFinished(() => void channel('svc.probe').unsubscribe(look))
  await wallet.begin('a')
  wallet.mine()
  await wallet.follow('a')
  expect(seen).toEqual(['claimed', 'signed', 'recorded', 'sent', 'decided'].map((point) => [`wallet.operation.${point}`, false]))
})

test('I-50: a second transaction waits until the first one is final, and while another process holds the slot', async () => {
  await using wallet = await openScene()
  const { scene, mine, follow } = wallet
  await wallet.begin('a')
  expect(await wallet.begin('b')).toMatchObject({ kind: 'open', reason: 'wallet', message: expect.stringContaining('is not final yet') })
  mine()
  {
    using _held = wallet.slot.hold()
    expect([await follow('b'), await follow('a')]).toEqual([isOpen, isOpen])
  }
  expect(await follow('b')).toEqual(isOpen)
  expect(await wallet.rows()).toMatchObject([
    { id: 'a', status: 'confirmed' },
    { id: 'b', status: 'submitted' },
  ])
  expect(scene.sent).toHaveLength(2)
})

test('I-50: the database gives the wallet to one operation, also to gateways of other machines', async () => {
  await using wallet = await openScene()
  const { store } = wallet.deps
  await wallet.request('a')
  await wallet.request('b')
  const [a, b] = await Promise.all([store.find({ type: 'terminate', id: 'a' }), store.find({ type: 'terminate', id: 'b' })])
  if (!a || !b) throw new Error('there are no rows')
  expect(await Promise.all([store.claim(a), store.claim(b)])).toEqual([true, false])
  expect(await wallet.follow('b')).toMatchObject({ reason: 'wallet' })
  await expect(
    wallet.database.write((tx) => runSql(tx, "update wallet_operations set wallet = ? where client_request_id = 'b'", account.address)),
  ).rejects.toThrow(/unique/i)
  await store.release(a)
  expect(await wallet.follow('b')).toEqual(isOpen)
})

test.for(['wallet.operation.claimed', 'wallet.operation.signed', 'wallet.operation.recorded', 'wallet.operation.sent'])(
  'I-04 I-09: killed at %s, the operation is sent once',
  async (probe) => {
    await using wallet = await openScene()
    const { scene, mine, follow } = wallet
    await wallet.request('a')
    await killedAt(wallet, probe)
    await wallet.recover()
    expect(wallet.scheduled).toEqual(['a', 'a'])
    expect(await follow('a')).toEqual(isOpen)
    expect(await wallet.begin('b')).toMatchObject({ reason: 'wallet' })
    mine()
    expect(await follow('a')).toEqual(confirmed)
    expect(new Set(scene.sent).size).toBe(1)
  },
)

test('a reverted transaction and one whose nonce another program used have failed', async () => {
  await using wallet = await openScene()
  const { scene, mine, follow } = wallet
  await wallet.begin('a')
  mine('reverted')
  expect(await follow('a')).toMatchObject({ kind: 'failed', isSent: true, message: expect.stringContaining('reverted') })
  await wallet.begin('b')
  scene.pool.clear()
  scene.nonce += 1
  const message = expect.stringContaining(`another transaction used its nonce (4): ${foreignHash}`)
  expect(await follow('b')).toMatchObject({ kind: 'failed', isSent: true, message })
})

test('an operation is unknown while the node does not show which transaction used its nonce, and blocks the next one until then', async () => {
  await using wallet = await openScene()
  const { scene, follow } = wallet
  await wallet.begin('a')
  scene.pool.clear()
  scene.nonce += 1
  scene.isForeignHidden = true
  const message = expect.stringContaining('nonce 3 of the wallet is used')
  expect(await follow('a')).toMatchObject({ kind: 'open', message })
  expect(await wallet.begin('b')).toMatchObject({ kind: 'open', reason: 'wallet', message })
  expect(await wallet.rows()).toEqual([
    { id: 'a', status: 'unknown' },
    { id: 'b', status: 'pending' },
  ])
  scene.isForeignHidden = false
  expect(await follow('b')).toEqual(isOpen)
  expect(await follow('a')).toMatchObject({ kind: 'failed' })
  expect(new Set(scene.sent).size).toBe(2)
})

test('I-04: nothing is sent for an operation that ended before its bytes were recorded', async () => {
  await using wallet = await openScene()
  const { scene, deps } = wallet
  const store: OperationStore = {
    ...deps.store,
    async claim(operation) {
      const isClaimed = await deps.store.claim(operation)
      await deps.store.finish(operation, { status: 'failed' })
      return isClaimed
    },
  }
  expect(await wallet.begin('a', { store })).toEqual(isOpen)
  expect(scene.sent).toEqual([])
  expect(await wallet.begin('b')).toEqual(isOpen)
  expect(scene.sent).toHaveLength(1)
})

test('I-33: a termination waits while the fee is above the limit, without the turn of the wallet; a payment fails', async () => {
  await using wallet = await openScene()
  const low = { fees: { feePerGasMax: 1n, totalMax: 1n } }
  const message = expect.stringContaining('chain.spending.max_fee_per_gas_nanofil')
  expect(await wallet.begin('a', low)).toEqual({ kind: 'open', reason: 'fee', message })
  expect([wallet.scene.sent, await wallet.rows()]).toEqual([[], [{ id: 'a', status: 'pending' }]])
  await wallet.database.write((tx) => runSql(tx, "update wallet_operations set type = 'withdraw', amount = '1'"))
  const network = { ...wallet.deps.chain.network, contracts: { filecoinPay: account.address, usdfc: account.address } }
  const chain = { ...wallet.deps.chain, network, read: async () => [10n, 0n, 0n, 0n], currentEpoch: async () => 10n } as unknown as Chain
  const failed = { kind: 'failed', code: 'fee_above_limit', isSent: false, message }
  expect(await followOperation({ ...wallet.deps, ...low, chain }, { type: 'withdraw', id: 'a' })).toEqual(failed)
  expect(await wallet.begin('b')).toEqual(isOpen)
})

const feesOf = (raw: string | undefined) => {
  const { nonce, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n, to, data } = parseTransaction((raw ?? '0x') as `0x${string}`)
  return { nonce, maxFeePerGas, maxPriorityFeePerGas, to, data }
}

/** The fee cap of the first transaction is 1000. */
async function openUnderpriced(fees = generous) {
  const wallet = await openScene(fees)
  expect(await wallet.begin('a')).toEqual(isOpen)
  wallet.scene.baseFee = 2000n
  return wallet
}

test('I-44: a transaction below the base fee is replaced under its nonce, and the next one follows', async () => {
  await using wallet = await openUnderpriced()
  const { scene, follow } = wallet
  const [first = ''] = await wallet.newest()
  expect(await follow('a')).toEqual(isOpen)
  const [before, after] = scene.sent.map(feesOf)
  expect(after).toEqual({ ...before, maxFeePerGas: 20_000n, maxPriorityFeePerGas: 13n })
  expect(await wallet.replaced()).toEqual([first])
  expect(wallet.slot.read()?.signed.earlier).toEqual([first])
  // Its fee is high enough now: it is not replaced again.
  expect(await follow('a')).toEqual(isOpen)
  expect(await wallet.begin('b')).toMatchObject({ reason: 'wallet' })
  expect(scene.sent).toHaveLength(2)
  scene.pool.delete(first)
  wallet.mine()
  expect(await follow('b')).toEqual(isOpen)
  expect(await wallet.rows()).toMatchObject([
    { id: 'a', status: 'confirmed' },
    { id: 'b', status: 'submitted' },
  ])
  expect(feesOf(scene.sent[2]).nonce).toBe((before?.nonce ?? 0) + 1)
})

test('I-44: the replaced transaction may land instead, and is found by its own hash', async () => {
  await using wallet = await openUnderpriced()
  const { scene, follow } = wallet
  const [first = ''] = await wallet.newest()
  await follow('a')
  scene.pool.clear()
  scene.pool.add(first)
  wallet.mine()
  expect(await follow('a')).toEqual(confirmed)
  expect(scene.sent).toHaveLength(2)
})

test('I-44: neither of them lands when another transaction used the nonce', async () => {
  await using wallet = await openUnderpriced()
  await wallet.follow('a')
  wallet.scene.pool.clear()
  wallet.scene.nonce += 1
  const message = expect.stringContaining('another transaction used its nonce')
  expect(await wallet.follow('a')).toMatchObject({ kind: 'failed', message })
})

test.for(['wallet.replacement.recorded', 'wallet.replacement.sent'])('I-04 I-44: killed at %s, one replacement is sent', async (probe) => {
  await using wallet = await openUnderpriced()
  const { scene, follow } = wallet
  const [first = ''] = await wallet.newest()
  await killedAt(wallet, probe)
  expect(await wallet.replaced()).toEqual([first])
  scene.pool.delete(first)
  expect(await follow('a')).toEqual(isOpen)
  expect(await follow('a')).toEqual(isOpen)
  expect(new Set(scene.sent).size).toBe(2)
  expect(scene.sent).toHaveLength(2)
  wallet.mine()
  expect(await follow('a')).toEqual(confirmed)
})

test('after 31 replacements no further one is signed, and what waits names the next step', async () => {
  await using wallet = await openUnderpriced({ feePerGasMax: 10n ** 60n, totalMax: 10n ** 70n })
  const { scene, follow } = wallet
  for (let replacements = 0; replacements < 31; replacements++) {
    expect(await follow('a')).toEqual(isOpen)
    scene.baseFee *= 11n
  }
  expect(await wallet.replaced()).toHaveLength(31)
  const message = expect.stringMatching(
    /replaced 31 times; svc replaces it no more\. Wait until the base fee falls, or use nonce 3 with another/,
  )
  expect(await follow('a')).toEqual({ kind: 'open', reason: 'fee', message })
  expect([scene.sent.length, (await wallet.replaced()).length]).toEqual([32, 31])
})

test('I-33: a replacement above a limit is not signed; what waits names the limit, and continues when the fee falls', async () => {
  await using wallet = await openUnderpriced({ feePerGasMax: 1500n, totalMax: 10n ** 18n })
  const { scene, follow } = wallet
  const message = expect.stringMatching(
    /nonce 3 pays less than the base fee.*above the .* of chain\.spending\.max_fee_per_gas_nanofil.*raise the setting/s,
  )
  expect(await follow('a')).toEqual({ kind: 'open', reason: 'fee', message })
  expect(await wallet.begin('b')).toEqual({ kind: 'open', reason: 'wallet', message })
  expect([scene.sent.length, await wallet.replaced()]).toEqual([1, []])
  scene.baseFee = 100n
  expect(await follow('a')).toEqual(isOpen)
  wallet.mine()
  expect(await follow('b')).toEqual(isOpen)
})

test('I-44: a transaction that every pool dropped below the base fee is replaced, and its bytes are not sent again', async () => {
  await using wallet = await openUnderpriced()
  const { scene, follow } = wallet
  scene.pool.clear()
  expect(await follow('a')).toEqual(isOpen)
  expect(new Set(scene.sent).size).toBe(2)
  wallet.mine()
  expect(await follow('a')).toEqual(confirmed)
})

/** A command on the same configuration, and its request `c`. */
function openCommand({ deps, slot }: Awaited<ReturnType<typeof openScene>>) {
  const store = createSlotStore(slot, account.address)
  const key = { type: 'terminate', id: 'c' } as const
  store.request({ type: 'terminate', clientRequestId: 'c', amount: '0', target: '7' })
  return { follow: () => followOperation({ ...deps, store, owner: 'command' }, key) }
}

test('I-50: a command waits for the transaction of the service, does not replace it, and pays after it', async () => {
  await using wallet = await openUnderpriced()
  const { scene } = wallet
  const command = openCommand(wallet)
  expect(await command.follow()).toMatchObject({ kind: 'open', reason: 'wallet' })
  expect(scene.sent).toHaveLength(1)
  scene.baseFee = 100n
  wallet.mine()
  expect(await command.follow()).toEqual(isOpen)
  expect(scene.sent.map((raw) => feesOf(raw).nonce)).toEqual([3, 4])
  // The service learns the end of its own transaction from the chain.
  expect(await wallet.follow('a')).toEqual(confirmed)
})

test('I-50: the service takes over the transaction that a killed command left, records it, and pays after it', async () => {
  await using wallet = await openScene()
  const { scene } = wallet
  scene.isLost = true
  const command = openCommand(wallet)
  expect(await command.follow()).toEqual(isOpen)
  scene.isLost = false
  expect(await wallet.begin('a')).toMatchObject({ kind: 'open', reason: 'wallet' })
  expect([scene.sent.length, new Set(scene.sent).size]).toEqual([2, 1])
  scene.baseFee = 2000n
  // Only the owner replaces it: its database has to learn the new hash.
  expect(await command.follow()).toEqual(isOpen)
  expect(new Set(scene.sent).size).toBe(1)
  expect(await wallet.follow('c')).toEqual(isOpen)
  expect(new Set(scene.sent).size).toBe(2)
  scene.pool.delete(keccak256(scene.sent[0] as `0x${string}`))
  wallet.mine()
  expect(await command.follow()).toEqual(confirmed)
  expect(await wallet.follow('a')).toEqual(isOpen)
  expect(await wallet.rows()).toEqual([
    { id: 'a', status: 'submitted' },
    { id: 'c', status: 'confirmed' },
  ])
  expect(wallet.scheduled).toEqual(['a', 'c'])
  expect(scene.sent.map((raw) => feesOf(raw).nonce)).toEqual([3, 3, 3, 4])
})

test('I-50: a command whose transaction landed while the service paid next reports it, and signs nothing again', async () => {
  await using wallet = await openScene()
  const command = openCommand(wallet)
  expect(await command.follow()).toEqual(isOpen)
  wallet.mine()
  expect(await wallet.begin('a')).toEqual(isOpen)
  expect(wallet.slot.read()).toMatchObject({ clientRequestId: 'a' })
  expect(await command.follow()).toEqual(confirmed)
  expect(wallet.scene.sent.map((raw) => feesOf(raw).nonce)).toEqual([3, 4])
  expect(wallet.slot.read()).toMatchObject({ clientRequestId: 'a', signed: { nonce: 4 } })
})
