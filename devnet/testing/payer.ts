// A client of the simulated providers for tests: signs what a payer signs and speaks the providers' API.
import { randomBytes } from 'node:crypto'
import { type Address, encodeAbiParameters, type Hex, parseAbiParameters, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { parsePieceCid } from '../../plugins/storage/pieces/piece-cid.ts'
import { CHAIN_ID } from '../chain/rpc.ts'
import type { Devnet } from '../devnet.ts'

const types = {
  MetadataEntry: [
    { name: 'key', type: 'string' },
    { name: 'value', type: 'string' },
  ],
  CreateDataSet: [
    { name: 'clientDataSetId', type: 'uint256' },
    { name: 'payee', type: 'address' },
    { name: 'metadata', type: 'MetadataEntry[]' },
  ],
  Cid: [{ name: 'data', type: 'bytes' }],
  PieceMetadata: [
    { name: 'pieceIndex', type: 'uint256' },
    { name: 'metadata', type: 'MetadataEntry[]' },
  ],
  AddPieces: [
    { name: 'clientDataSetId', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'pieceData', type: 'Cid[]' },
    { name: 'pieceMetadata', type: 'PieceMetadata[]' },
  ],
  SchedulePieceRemovals: [
    { name: 'clientDataSetId', type: 'uint256' },
    { name: 'pieceIds', type: 'uint256[]' },
  ],
  TerminateService: [{ name: 'dataSetId', type: 'uint256' }],
} as const

const createParameters = parseAbiParameters('address payer, uint256 clientDataSetId, string[] keys, string[] values, bytes signature')
const addParameters = parseAbiParameters('uint256 nonce, string[][] keys, string[][] values, bytes signature')
const pairParameters = parseAbiParameters('bytes create, bytes add')
const signatureParameters = parseAbiParameters('bytes signature')

export interface AddTerms {
  readonly clientDataSetId: bigint
  readonly nonce: bigint
  readonly pieceCids: readonly string[]
}

export interface Payer {
  readonly address: Address
  create(clientDataSetId: bigint, payee: Address): Promise<Hex>
  add(terms: AddTerms): Promise<Hex>
  createAndAdd(payee: Address, terms: AddTerms): Promise<Hex>
  remove(clientDataSetId: bigint, pieceIds: readonly number[]): Promise<Hex>
  terminate(dataSetId: number): Promise<Hex>
}

export const randomNonce = () => BigInt(toHex(randomBytes(32)))

/** Signs with the key for the devnet's storage service; data sets get the metadata `source=test`. */
export function createPayer(devnet: Devnet, privateKey: Hex): Payer {
  const account = privateKeyToAccount(privateKey)
  const domain = {
    name: 'FilecoinWarmStorageService',
    version: '1',
    chainId: CHAIN_ID,
    verifyingContract: devnet.contracts.warmStorage,
  } as const

  const payer: Payer = {
    address: account.address,
    async create(clientDataSetId, payee) {
      const message = { clientDataSetId, payee, metadata: [{ key: 'source', value: 'test' }] }
      const signature = await account.signTypedData({ domain, types, primaryType: 'CreateDataSet', message })
      return encodeAbiParameters(createParameters, [account.address, clientDataSetId, ['source'], ['test'], signature])
    },
    async add({ clientDataSetId, nonce, pieceCids }) {
      const message = {
        clientDataSetId,
        nonce,
        pieceData: pieceCids.map((pieceCid) => ({ data: toHex(parsePieceCid(pieceCid).bytes) })),
        pieceMetadata: pieceCids.map((_, index) => ({ pieceIndex: BigInt(index), metadata: [] })),
      }
      const signature = await account.signTypedData({ domain, types, primaryType: 'AddPieces', message })
      const empty = pieceCids.map(() => [])
      return encodeAbiParameters(addParameters, [nonce, empty, empty, signature])
    },
    async createAndAdd(payee, terms) {
      return encodeAbiParameters(pairParameters, [await payer.create(terms.clientDataSetId, payee), await payer.add(terms)])
    },
    async remove(clientDataSetId, pieceIds) {
      const message = { clientDataSetId, pieceIds: pieceIds.map(BigInt) }
      const signature = await account.signTypedData({ domain, types, primaryType: 'SchedulePieceRemovals', message })
      return encodeAbiParameters(signatureParameters, [signature])
    },
    async terminate(dataSetId) {
      const message = { dataSetId: BigInt(dataSetId) }
      const signature = await account.signTypedData({ domain, types, primaryType: 'TerminateService', message })
      return encodeAbiParameters(signatureParameters, [signature])
    },
  }
  return payer
}
