import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '#kernel'
import { allRows, getRow, openTestDatabase, silentLog, type TestDatabase } from '#kernel/testing'
import { type Devnet, startDevnet } from '../../../devnet/devnet.ts'
import { ChainSourcesDisagree } from '../chain/chain-error.ts'
import { type Chain, openAccount, openChain } from '../chain/clients.ts'
import { resolveNetwork } from '../chain/networks.ts'
import { readAccount, readApproval } from '../chain/payment-account.ts'
import { planFunding } from '../chain/plan-funding.ts'
import { broadcast, signTransaction } from '../chain/transactions.ts'
import type { OperationRequest, Signer, WalletOperations } from '../contract.ts'
import { walletMigrations } from '../migrations.ts'
import { followOperation, type OperationDeps } from '../operations/follow-operation.ts'
import { createOperationStore, insertOperation, listUnfinished, type OperationStore } from '../operations/operation-store.ts'
import { openWalletSlot } from '../operations/wallet-slot.ts'
import { testSpending } from '../testing/test-spending.ts'
import { createFunds } from './funds.ts'
import { createWalletSetup } from './wallet-setup.ts'

const token = 10n ** 18n
let dir: string
let devnet: Devnet
let chain: Chain

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'svc-wallet-'))
  devnet = await startDevnet({ dir, providers: 1 })
  chain = openChain({ network: await resolveNetwork({ network: 'devnet', devnetInfoPath: devnet.infoPath }) })
})

afterAll(async () => {
  await chain?.close()
  await devnet?.[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true, force: true })
})

interface Wallet extends AsyncDisposable {
  readonly signer: Signer
  readonly store: OperationStore
  readonly database: TestDatabase
  /** Requests an operation. */
  request(request: OperationRequest): Promise<void>
  ensureFunded(deposit: bigint): Promise<void>
  funds: ReturnType<typeof createFunds>
}

/** Tests use different users, because wallets keep nonces and balances. */
async function openWallet(userIndex: number, changed: Partial<OperationDeps> = {}): Promise<Wallet> {
  const user = devnet.users[userIndex]
  if (!user) throw new Error(`the devnet has no user ${userIndex}`)
  const signer = openAccount(user.privateKey)
  const database = await openTestDatabase([{ name: 'wallet', migrations: walletMigrations }])
  const records = { database, wallet: signer.address, now: systemClock.now, schedule: async () => {}, changed() {} }
  const store = changed.store ?? createOperationStore(records)
  const funds = createFunds({ chain, signer, clock: systemClock, settings: { with_cdn: false }, ...testSpending })
  const place = mkdtempSync(join(dir, 'slot-'))
  const slot = openWalletSlot({ configPath: join(place, 'config.toml'), chainId: chain.network.chainId, address: signer.address })
  const deps: OperationDeps = {
    chain,
    signer,
    store,
    slot,
    owner: 'service',
    clock: systemClock,
    log: silentLog,
    ...testSpending,
    ...changed,
  }
  const operations: Pick<WalletOperations, 'begin' | 'follow'> = {
    begin: (tx, request) => insertOperation(tx, request, records),
    follow: (key) => followOperation(deps, key),
  }
  const setup = createWalletSetup({ chain, signer, database, operations, funds, clock: systemClock })
  return {
    signer,
    store,
    database,
    funds,
    request: (request) => database.write((tx) => operations.begin(tx, request)),
    ensureFunded: (deposit) => setup.ensureFunded({ deposit }),
    [Symbol.asyncDispose]: async () => database[Symbol.asyncDispose](),
  }
}

const unfinished = ({ database }: Wallet) => listUnfinished(database.read)

test('the first call deposits and approves in one transaction, the second does nothing', async () => {
  await using wallet = await openWallet(0)
  expect(await wallet.funds.canPay({ dataSets: 1, pieces: 0, bytes: 0, heldBytes: 0 })).toMatchObject({
    isCovered: false,
    because: 'approval',
  })
  await wallet.ensureFunded(20n * token)
  const nonce = await chain.publicClient.getTransactionCount({ address: wallet.signer.address })
  expect((await readAccount(chain, wallet.signer.address)).funds).toBe(20n * token)
  expect((await readApproval(chain, wallet.signer.address)).isApproved).toBe(true)
  expect(await wallet.funds.canPay({ dataSets: 1, pieces: 0, bytes: 0, heldBytes: 0 })).toEqual({ isCovered: true })
  await wallet.ensureFunded(20n * token)
  expect(await chain.publicClient.getTransactionCount({ address: wallet.signer.address })).toBe(nonce)
  expect(await unfinished(wallet)).toEqual([])
})

test('the approval matches the settings, and work above it waits with the setting to raise', async () => {
  await using wallet = await openWallet(0)
  await wallet.ensureFunded(20n * token)
  const approval = await readApproval(chain, wallet.signer.address)
  expect(approval).toMatchObject({ isApproved: true, rateAllowance: testSpending.approval.ratePerEpoch })
  expect(approval.lockupAllowance).toBe(2000n * token)
  expect(await wallet.funds.canPay({ dataSets: 3_500, pieces: 0, bytes: 0, heldBytes: 0 })).toMatchObject({
    isCovered: false,
    because: 'approval',
    message: expect.stringContaining('Raise chain.spending.approved_lockup_usdfc and run svc wallet approve.'),
  })
})

test('the prices of today are those of the contract, under a fingerprint', async () => {
  await using wallet = await openWallet(0)
  const prices = await wallet.funds.prices()
  expect(JSON.parse(prices?.list ?? '{}')).toMatchObject({ createDataSetFee: String(token / 40n), lockupPeriodEpochs: '86400' })
  expect(await wallet.funds.prices()).toEqual({ ...prices, fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/) })
})

test('data sets with CDN retrieval need the CDN lockup, and the waiting message names it', async () => {
  await using wallet = await openWallet(0)
  await wallet.ensureFunded(20n * token)
  const work = { dataSets: 20, pieces: 0, bytes: 0, heldBytes: 0 }
  const deps = { chain, signer: wallet.signer, clock: systemClock, ...testSpending }
  expect(await wallet.funds.canPay(work)).toEqual({ isCovered: true })
  expect(await createFunds({ ...deps, settings: { with_cdn: true } }).canPay(work)).toMatchObject({
    because: 'deposit',
    message: expect.stringContaining('(CDN retrieval locks 20); run `svc wallet deposit`'),
  })
})

test('nothing is paid while the contracts have an unsupported version', async () => {
  await using wallet = await openWallet(0)
  const versions = async () => ({ fwss: '2.0.0', pdpVerifier: '3.4.0' })
  const changed = { ...chain, contractVersions: versions }
  const funds = createFunds({ chain: changed, signer: wallet.signer, clock: systemClock, settings: { with_cdn: false }, ...testSpending })
  expect(await funds.canPay({ dataSets: 1, pieces: 0, bytes: 0, heldBytes: 0 })).toMatchObject({
    because: 'contracts',
    message: expect.stringContaining('FilecoinWarmStorageService is at version 2.0.0'),
  })
  const plan = planFunding({ chain: changed, account: wallet.signer, amount: token, approval: testSpending.approval })
  await expect(plan).rejects.toMatchObject({ reason: 'contracts_not_supported' })
})

test('I-33: an operation with a fee above the limit fails unsigned with its code', async () => {
  await using wallet = await openWallet(0, { fees: { feePerGasMax: 1n, totalMax: 1n } })
  const { signer, database } = wallet
  const { funds: held } = await readAccount(chain, signer.address)
  await expect(wallet.ensureFunded(held + token)).rejects.toMatchObject({
    code: 'fee_above_limit',
    message: expect.stringContaining('chain.spending.max_fee_per_gas_nanofil'),
  })
  expect(await getRow(database.read, 'select status, raw_tx as raw from wallet_operations')).toEqual({ status: 'failed', raw: null })
  expect((await readAccount(chain, signer.address)).funds).toBe(held)
})

/** A deposit whose process died after its bytes were stored. */
async function leaveDeposit({ store, signer, database, request }: Wallet) {
  const call = await planFunding({ chain, account: signer, amount: 3n * token, approval: testSpending.approval })
  if (!call) throw new Error('there is nothing to pay')
  await request({ type: 'fund', id: 'r', amount: 3n * token })
  const operation = await store.find({ type: 'fund', id: 'r' })
  if (!operation) throw new Error('there is no operation')
  const signed = await signTransaction({ chain, account: signer, call, limits: testSpending.fees })
  await store.claim(operation)
  await store.recordSigned(operation, signed)
  const findEnd = () => getRow(database.read, 'select status, tx_hash as hash from wallet_operations where id = ?', operation.id)
  return { signed, findEnd }
}

/** Sets the FIL balance to 0, so that the node rejects every transaction. Returns a function that restores it. */
async function takeGasMoney({ signer }: Wallet): Promise<() => Promise<void>> {
  const setBalance = (balance: bigint) =>
    chain.publicClient.request({ method: 'anvil_setBalance', params: [signer.address, `0x${balance.toString(16)}`] } as never)
  const before = await chain.publicClient.getBalance({ address: signer.address })
  await setBalance(0n)
  return async () => void (await setBalance(before))
}

test.each([
  ['before it was sent', false],
  ['after it was sent', true],
])('I-04: a deposit whose process died %s is settled from its stored bytes and paid once', async (_when, wasSent) => {
  await using wallet = await openWallet(0)
  const before = (await readAccount(chain, wallet.signer.address)).funds
  const { signed, findEnd } = await leaveDeposit(wallet)
  if (wasSent) await broadcast(chain, signed.raw)
  await wallet.ensureFunded(0n)
  expect((await readAccount(chain, wallet.signer.address)).funds).toBe(before + 3n * token)
  expect(await unfinished(wallet)).toEqual([])
  expect(await findEnd()).toEqual({ status: 'confirmed', hash: signed.hash })
})

test('I-04: a deposit in the pool that the node would now reject stays open and is paid once', async () => {
  const { promise: lookedTwice, resolve } = Promise.withResolvers<void>()
  let lookups = 0
  const finalEpoch = () => {
    if (++lookups === 2) resolve()
    return chain.finalEpoch()
  }
  await using wallet = await openWallet(0, { chain: { ...chain, finalEpoch } })
  const before = (await readAccount(chain, wallet.signer.address)).funds
  const { signed, findEnd } = await leaveDeposit(wallet)
  await devnet.chain.hold()
  await broadcast(chain, signed.raw)
  const giveGasMoney = await takeGasMoney(wallet)
  const settled = wallet.ensureFunded(before + 3n * token)
  try {
    await Promise.race([lookedTwice, settled])
  } finally {
    await giveGasMoney()
    await devnet.chain.release()
  }
  await settled
  expect(await findEnd()).toEqual({ status: 'confirmed', hash: signed.hash })
  expect((await readAccount(chain, wallet.signer.address)).funds).toBe(before + 3n * token)
})

test('I-04: a stored deposit that the node rejects stays open, because another node may have it, and is paid once', async () => {
  await using wallet = await openWallet(0)
  const before = (await readAccount(chain, wallet.signer.address)).funds
  const { signed, findEnd } = await leaveDeposit(wallet)
  const giveGasMoney = await takeGasMoney(wallet)
  try {
    await expect(wallet.ensureFunded(before + 3n * token)).rejects.toMatchObject({ code: 'wallet_operation_undecided' })
  } finally {
    await giveGasMoney()
  }
  expect(await findEnd()).toEqual({ status: 'submitted', hash: signed.hash })
  await wallet.ensureFunded(before + 3n * token)
  expect(await findEnd()).toEqual({ status: 'confirmed', hash: signed.hash })
  expect((await readAccount(chain, wallet.signer.address)).funds).toBe(before + 3n * token)
})

test('a new deposit that the node rejects fails, because it was sent to no other node', async () => {
  await using wallet = await openWallet(0)
  const before = (await readAccount(chain, wallet.signer.address)).funds
  const giveGasMoney = await takeGasMoney(wallet)
  try {
    await expect(wallet.ensureFunded(before + token)).rejects.toMatchObject({ code: 'wallet_operation_failed' })
  } finally {
    await giveGasMoney()
  }
  expect(await unfinished(wallet)).toEqual([])
})

test('a deposit that was requested before a kill, and not signed, is paid once', async () => {
  await using wallet = await openWallet(0)
  const before = (await readAccount(chain, wallet.signer.address)).funds
  await wallet.request({ type: 'fund', id: 'r', amount: token })
  await wallet.ensureFunded(before + token)
  expect((await readAccount(chain, wallet.signer.address)).funds).toBe(before + token)
  expect(await allRows(wallet.database.read, 'select type, status from wallet_operations order by id')).toEqual([
    { type: 'fund', status: 'confirmed' },
    { type: 'approve', status: 'confirmed' },
  ])
})

test('nodes that give different answers leave a deposit open until they agree', async () => {
  const { promise: differed, resolve } = Promise.withResolvers<void>()
  let answers = 0
  const finalEpoch = async () => {
    if (++answers !== 2) return chain.finalEpoch()
    resolve()
    throw new ChainSourcesDisagree('eth_getTransactionCount', ['a', 'b'])
  }
  await using wallet = await openWallet(0, { chain: { ...chain, finalEpoch } })
  const before = (await readAccount(chain, wallet.signer.address)).funds
  await devnet.chain.hold()
  const settled = wallet.ensureFunded(before + token)
  await Promise.race([differed, settled]).finally(() => devnet.chain.release())
  await settled
  expect((await readAccount(chain, wallet.signer.address)).funds).toBe(before + token)
})

test('a wallet without tokens is rejected with the amounts and leaves no open operation', async () => {
  await using wallet = await openWallet(1)
  await expect(wallet.ensureFunded(token)).rejects.toThrow('The wallet holds 0 USDFC (0 base units)')
  expect(await unfinished(wallet)).toEqual([])
})
