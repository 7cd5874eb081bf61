// Lockup, fees, debt and settlement of the contracts.
import { encodeFunctionData, parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newNonce } from '../plugins/replication/testing/typed-data.ts'
import { payAbi, warmStorageAbi } from './chain/abis.ts'
import { userAccount } from './chain/accounts.ts'
import { defaultNetwork, networkVersions } from './chain/network-versions.ts'
import { createChainReader, createChainSigner } from './chain/rpc.ts'
import { type Fixture, startFixture } from './testing/fixture.ts'
import { createPayer } from './testing/payer.ts'
import { mineUntil, send, until } from './testing/provider-calls.ts'

const PERIOD_EPOCHS = 10
const LOCKUP_EPOCHS = 60
const { prices } = networkVersions[defaultNetwork()]
let fixture: Fixture

beforeAll(async () => {
  fixture = await startFixture({
    providers: 1,
    blockTimeSeconds: 0,
    provingPeriodEpochs: PERIOD_EPOCHS,
    lockupPeriodEpochs: LOCKUP_EPOCHS,
  })
})

afterAll(() => fixture[Symbol.asyncDispose]())

const reader = () => createChainReader(fixture.devnet.rpcUrl)

async function accountOf(owner: `0x${string}`) {
  const { usdfc, filecoinPay } = fixture.devnet.contracts
  const read = { address: filecoinPay, abi: payAbi, functionName: 'accounts', args: [usdfc, owner] } as const
  const [funds, lockupCurrent, lockupRate] = await reader().readContract(read)
  return { funds, lockupCurrent, lockupRate }
}

const readDataSet = (dataSetId: number) =>
  reader().readContract({
    address: fixture.devnet.contracts.warmStorage,
    abi: warmStorageAbi,
    functionName: 'getDataSet',
    args: [BigInt(dataSetId)],
  })

async function refusalOf(privateKey: `0x${string}`): Promise<string> {
  const { url, address } = fixture.provider(0)
  const extraData = await createPayer(fixture.devnet, privateKey).create(newNonce(), address)
  const answer = await send('POST', `${url}/pdp/data-sets`, { recordKeeper: fixture.devnet.contracts.warmStorage, extraData })
  expect(answer.status).toBe(500)
  return answer.text()
}

test('without funds, then without approval, no data set is created', async () => {
  const { privateKey, address } = userAccount(2)
  // InsufficientLockupFunds
  expect(await refusalOf(privateKey)).toContain('revert reason=[0xdae03403')
  await fixture.devnet.mintUsdfc(address, parseEther('5'))
  await fixture.devnet.depositFor(privateKey, parseEther('5'))
  // OperatorNotApproved
  expect(await refusalOf(privateKey)).toContain('revert reason=[0x')
  expect(await refusalOf(privateKey)).not.toContain('0xdae03403')
})

test('creating locks the reserve, adding pays the fees and starts the rate', async () => {
  const before = await accountOf(fixture.payer.address)
  const dataSet = await fixture.createDataSet(0)
  const created = await accountOf(fixture.payer.address)
  expect(created.lockupCurrent - before.lockupCurrent).toBe(prices.lockups.lifecycleReserveTarget)
  expect(created.lockupRate - before.lockupRate).toBe(0n)

  await fixture.addPieces(dataSet, [await fixture.storePiece(dataSet, 127)])
  const added = await accountOf(fixture.payer.address)
  const ratePerEpoch = (127n * prices.rates.storagePerTibPerMonth) / ((1n << 40n) * 86_400n) + prices.rates.datasetFeePerMonth / 86_400n
  expect(added.lockupRate - before.lockupRate).toBe(ratePerEpoch)
  const { createDataSetFee, addPiecesBaseFee, addPiecesPerPieceFee } = prices.fees
  expect(before.funds - added.funds).toBe(createDataSetFee + addPiecesBaseFee + addPiecesPerPieceFee)
})

test('a payer-terminated data set is billed to its end, then settled, deleted and cleaned up by its provider', async () => {
  const dataSet = await fixture.createDataSet(0)
  const { provider, dataSetId } = dataSet
  await fixture.addPieces(dataSet, [await fixture.storePiece(dataSet)])
  const signer = createChainSigner(fixture.devnet.rpcUrl, fixture.userKey)
  const { blockNumber } = await signer.execute({
    to: fixture.devnet.contracts.warmStorage,
    data: encodeFunctionData({
      abi: [
        {
          type: 'function',
          name: 'terminateService',
          stateMutability: 'nonpayable',
          inputs: [{ name: 'id', type: 'uint256' }],
          outputs: [],
        },
      ],
      functionName: 'terminateService',
      args: [BigInt(dataSetId)],
    }),
  })
  const { pdpEndEpoch } = await readDataSet(dataSetId)
  expect(pdpEndEpoch).toBe(blockNumber + BigInt(LOCKUP_EPOCHS))

  const { url, body } = await fixture.addBody(dataSet, [await fixture.storePiece(dataSet)])
  // DataSetPaymentAlreadyTerminated
  expect(await (await send('POST', url, body)).text()).toContain('revert reason=[0x211a40c0')

  const earned = (await accountOf(provider.address)).funds
  await mineUntil(fixture.devnet, 'the data set is gone', async () => (await readDataSet(dataSetId)).payer === `0x${'0'.repeat(40)}`)
  expect((await accountOf(provider.address)).funds).toBeGreaterThan(earned)
  expect((await send('POST', url, body)).status).toBe(404)
  expect(await fixture.devnet.clientNonce(fixture.payer.address, dataSet.clientDataSetId)).toBe(BigInt(dataSetId))
})

test('a payer in debt can neither add nor withdraw until a deposit', async () => {
  const { privateKey, address } = userAccount(2)
  const debtor = createPayer(fixture.devnet, privateKey)
  await fixture.devnet.approveFwss(privateKey)
  const { url, address: payee } = fixture.provider(0)
  const clientDataSetId = newNonce()
  const pieceCid = await fixture.storePiece({ provider: fixture.provider(0), dataSetId: 0, clientDataSetId })
  const extraData = await debtor.createAndAdd(payee, { clientDataSetId, nonce: newNonce(), pieceCids: [pieceCid] })
  const pieces = [{ pieceCid, subPieces: [{ subPieceCid: pieceCid }] }]
  const recordKeeper = fixture.devnet.contracts.warmStorage
  expect((await send('POST', `${url}/pdp/data-sets/create-and-add`, { recordKeeper, extraData, pieces })).status).toBe(201)
  await until('the data set is there', async () => (await fixture.devnet.clientNonce(address, clientDataSetId)) !== 0n)
  const dataSetId = Number(await fixture.devnet.clientNonce(address, clientDataSetId))

  const { funds, lockupCurrent, lockupRate } = await accountOf(address)
  await fixture.devnet.chain.jump(Number((funds - lockupCurrent) / lockupRate) + 1000)
  const next = await fixture.storePiece({ provider: fixture.provider(0), dataSetId, clientDataSetId })
  const add = async () => {
    const addExtra = await debtor.add({ clientDataSetId, nonce: newNonce(), pieceCids: [next] })
    return send('POST', `${url}/pdp/data-sets/${dataSetId}/pieces`, {
      pieces: [{ pieceCid: next, subPieces: [{ subPieceCid: next }] }],
      extraData: addExtra,
    })
  }
  expect((await add()).status).toBe(500)
  await fixture.devnet.mintUsdfc(address, parseEther('5'))
  await fixture.devnet.depositFor(privateKey, parseEther('5'))
  expect((await add()).status).toBe(201)
})
