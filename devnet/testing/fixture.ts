// A temporary devnet with a funded payer, for one test file.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, type Hex, parseEther } from 'viem'
import { newNonce } from '../../plugins/replication/testing/typed-data.ts'
import { type Devnet, type DevnetOptions, startDevnet } from '../devnet.ts'
import type { SimulatedProvider } from '../provider/provider.ts'
import { createPayer, type Payer } from './payer.ts'
import { locationOf, outcome, send, store, whole } from './provider-calls.ts'

const DEPOSIT = parseEther('100')

export interface TestDataSet {
  readonly provider: SimulatedProvider
  readonly dataSetId: number
  readonly clientDataSetId: bigint
}

export interface Fixture extends AsyncDisposable {
  readonly dir: string
  readonly devnet: Devnet
  readonly payer: Payer
  readonly userKey: Hex
  provider(index: number): SimulatedProvider
  /** An empty data set at the provider. */
  createDataSet(index: number): Promise<TestDataSet>
  /** Stores random bytes at the provider of a data set. */
  storePiece(dataSet: TestDataSet, size?: number): Promise<string>
  /** URL and body of a request that adds the pieces, with a new nonce. */
  addBody(
    dataSet: TestDataSet,
    pieceCids: readonly string[],
  ): Promise<{ readonly nonce: bigint; readonly body: object; readonly url: string }>
  /** Resolves with the piece ids when the pieces are added. */
  addPieces(dataSet: TestDataSet, pieceCids: readonly string[]): Promise<readonly number[]>
}

export async function startFixture(options: Omit<DevnetOptions, 'dir'>): Promise<Fixture> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-devnet-'))
  const devnet = await startDevnet({ isTemporary: true, ...options, dir })
  const userKey = devnet.users[0]?.privateKey ?? '0x'
  await devnet.depositFor(userKey, DEPOSIT)
  await devnet.approveFwss(userKey)
  const payer = createPayer(devnet, userKey)

  function provider(index: number): SimulatedProvider {
    const found = devnet.providers[index]
    if (!found) throw new Error(`the devnet has no provider at position ${index}`)
    return found
  }

  const fixture: Fixture = {
    ...{ dir, devnet, payer, userKey, provider },
    async createDataSet(index) {
      const { url, address } = provider(index)
      const clientDataSetId = newNonce()
      const body = { recordKeeper: devnet.contracts.warmStorage, extraData: await payer.create(clientDataSetId, payeeOf(address)) }
      const created = await outcome(await locationOf(url, await send('POST', `${url}/pdp/data-sets`, body)))
      if (created.dataSetId === undefined) throw new Error(`data set not created: ${JSON.stringify(created)}`)
      return { provider: provider(index), dataSetId: created.dataSetId, clientDataSetId }
    },
    storePiece: (dataSet, size = 1000) => store(dataSet.provider.url, randomBytes(size)),
    async addBody({ provider: { url }, dataSetId, clientDataSetId }, pieceCids) {
      const nonce = newNonce()
      const extraData = await payer.add({ clientDataSetId, nonce, pieceCids })
      return { nonce, body: { pieces: whole(pieceCids), extraData }, url: `${url}/pdp/data-sets/${dataSetId}/pieces` }
    },
    async addPieces(dataSet, pieceCids) {
      const { url, body } = await fixture.addBody(dataSet, pieceCids)
      const added = await outcome(await locationOf(dataSet.provider.url, await send('POST', url, body)))
      return added.confirmedPieceIds ?? []
    },
    async [Symbol.asyncDispose]() {
      await devnet[Symbol.asyncDispose]()
      rmSync(dir, { recursive: true, force: true })
    },
  }
  return fixture
}

/** Providers of a devnet are their own payees. */
const payeeOf = (provider: Address) => provider
