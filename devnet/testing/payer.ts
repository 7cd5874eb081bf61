// Signs the messages of a payer, for tests.
import { type Address, encodeAbiParameters, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import {
  signAddPieces,
  signCreateDataSet,
  signScheduleRemovals,
  signTerminateService,
} from '../../plugins/replication/testing/typed-data.ts'
import { CHAIN_ID } from '../chain/rpc.ts'
import type { Devnet } from '../devnet.ts'

/** `extraData` of one transaction that creates a data set and adds its first pieces. */
const bothParts = [{ type: 'bytes' }, { type: 'bytes' }] as const

interface AddTerms {
  readonly clientDataSetId: bigint
  readonly nonce: bigint
  readonly pieceCids: readonly string[]
}

export interface Payer {
  readonly address: Address
  /** `bucket` is added to the metadata, as for the data set of a gateway. */
  create(clientDataSetId: bigint, payee: Address, bucket?: string): Promise<Hex>
  add(terms: AddTerms): Promise<Hex>
  createAndAdd(payee: Address, terms: AddTerms): Promise<Hex>
  remove(clientDataSetId: bigint, pieceIds: readonly number[]): Promise<Hex>
  terminate(dataSetId: number): Promise<Hex>
}

/** Signs for the devnet's storage service; data sets get the metadata `source=test`. */
export function createPayer(devnet: Devnet, privateKey: Hex): Payer {
  const account = privateKeyToAccount(privateKey)
  const signing = { account, domain: { chainId: CHAIN_ID, fwss: devnet.contracts.warmStorage } }
  const omitsMetadata = devnet.network !== '1.3'
  const payer: Payer = {
    address: account.address,
    create: (clientDataSetId, payee, bucket) => {
      const metadata = [{ key: 'source', value: 'test' }, ...(bucket === undefined ? [] : [{ key: 'bucket', value: bucket }])]
      return signCreateDataSet({ ...signing, clientDataSetId, payee, metadata })
    },
    add: ({ clientDataSetId, nonce, pieceCids }) =>
      signAddPieces({ ...signing, omitsMetadata, clientDataSetId, nonce, pieces: pieceCids.map((pieceCid) => ({ pieceCid })) }),
    createAndAdd: async (payee, terms) =>
      encodeAbiParameters(bothParts, [await payer.create(terms.clientDataSetId, payee), await payer.add(terms)]),
    remove: (clientDataSetId, pieceIds) => signScheduleRemovals({ ...signing, clientDataSetId, pieceIds: pieceIds.map(BigInt) }),
    terminate: (dataSetId) => signTerminateService({ ...signing, dataSetId: BigInt(dataSetId) }),
  }
  return payer
}
