/** EIP-712 messages that the payer signs for FWSS, and their encoding as `extraData`. */
import { CID } from 'multiformats/cid'
import {
  type Address,
  bytesToBigInt,
  concatHex,
  decodeAbiParameters,
  encodeAbiParameters,
  type Hex,
  numberToHex,
  padHex,
  slice,
} from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { MetadataEntry } from '#plugins/providers'
import { hashAddPieces } from './add-pieces-hash.ts'

/** Domain in which a signature is valid: one chain and one FWSS proxy. */
export interface SigningDomain {
  readonly chainId: number
  /** The FWSS proxy, which is also the record keeper of the data sets. */
  readonly fwss: Address
}

/** A piece of an addition, with at most 3 metadata entries. */
interface SignedPiece {
  /** PieceCIDv2 in text form. */
  readonly pieceCid: string
  readonly metadata?: readonly MetadataEntry[] | undefined
}

interface Signing {
  readonly account: PrivateKeyAccount
  readonly domain: SigningDomain
}

interface CreateDataSetMessage extends Signing {
  /** Single use per payer; shares its namespace with the nonces of additions. */
  readonly clientDataSetId: bigint
  /** The provider's payee in the registry, which may differ from its address. */
  readonly payee: Address
  /** Has at most 10 entries. */
  readonly metadata: readonly MetadataEntry[]
}

interface AddPiecesMessage extends Signing {
  readonly clientDataSetId: bigint
  /** Single use per payer. */
  readonly nonce: bigint
  /** They receive their ids in this order. */
  readonly pieces: readonly SignedPiece[]
  /** FWSS 1.4 and later: without metadata of any piece, their lists are left out, of the bytes and of what is signed. */
  readonly omitsMetadata?: boolean | undefined
}

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
  SchedulePieceRemovals: [
    { name: 'clientDataSetId', type: 'uint256' },
    { name: 'pieceIds', type: 'uint256[]' },
  ],
  TerminateService: [{ name: 'dataSetId', type: 'uint256' }],
} as const

const createParameters = [{ type: 'address' }, { type: 'uint256' }, { type: 'string[]' }, { type: 'string[]' }, { type: 'bytes' }] as const
const addParameters = [{ type: 'uint256' }, { type: 'string[][]' }, { type: 'string[][]' }, { type: 'bytes' }] as const

/** A random value for `clientDataSetId` or `nonce`: 256 bits, never 0. Commit it to the database before a request uses it (I-04). */
export function newNonce(): bigint {
  return bytesToBigInt(crypto.getRandomValues(new Uint8Array(32))) || 1n
}

/** `extraData` of a data set creation. */
export async function signCreateDataSet({ account, domain, clientDataSetId, payee, metadata }: CreateDataSetMessage): Promise<Hex> {
  const message = { clientDataSetId, payee, metadata }
  const signature = await account.signTypedData({ domain: eip712Domain(domain), types, primaryType: 'CreateDataSet', message })
  return encodeAbiParameters(createParameters, [account.address, clientDataSetId, keysOf(metadata), valuesOf(metadata), signature])
}

/** `extraData` of an addition. The pull of these pieces uses the same bytes. */
export async function signAddPieces({ account, domain, clientDataSetId, nonce, pieces, omitsMetadata }: AddPiecesMessage): Promise<Hex> {
  const isOmitted = omitsMetadata && pieces.every(({ metadata = [] }) => metadata.length === 0)
  const metadata = isOmitted ? [] : pieces.map((piece) => piece.metadata ?? [])
  const message = { clientDataSetId, nonce, metadata, pieces: pieces.map((piece) => CID.parse(piece.pieceCid).bytes) }
  const signature = await account.sign({ hash: await hashAddPieces(eip712Domain(domain), message) })
  return encodeAddition(nonce, metadata, signature)
}

/** Encodings of an addition without metadata, between nonce and signature, by number of lists. Its empty lists take 0.3 ms. */
const emptyLists = new Map<number, Hex>()
/** Bytes at the end of the encoding: the 65 of a signature, padded to words. */
const signatureSize = 96

function encodeAddition(nonce: bigint, metadata: readonly (readonly MetadataEntry[])[], signature: Hex): Hex {
  const encode = () => encodeAbiParameters(addParameters, [nonce, metadata.map(keysOf), metadata.map(valuesOf), signature])
  if (metadata.some(({ length }) => length > 0)) return encode()
  const lists = emptyLists.get(metadata.length) ?? slice(encode(), 32, -signatureSize)
  emptyLists.set(metadata.length, lists)
  return concatHex([numberToHex(nonce, { size: 32 }), lists, padHex(signature, { dir: 'right', size: signatureSize })])
}

/** Number of metadata lists in the `extraData` of an addition: that of its pieces, or 0 when they are left out. */
export function countMetadataLists(extraData: Hex): number {
  return decodeAbiParameters(addParameters, extraData)[1].length
}

/** `extraData` of a removal. It has no nonce: if sent twice, the second reverts while the first is queued. */
export async function signScheduleRemovals(removal: Signing & { clientDataSetId: bigint; pieceIds: readonly bigint[] }): Promise<Hex> {
  const message = { clientDataSetId: removal.clientDataSetId, pieceIds: removal.pieceIds }
  const domain = eip712Domain(removal.domain)
  return wrapSignature(await removal.account.signTypedData({ domain, types, primaryType: 'SchedulePieceRemovals', message }))
}

/** `extraData` of a termination that the provider relays. It ends the service at once, for a fee. */
export async function signTerminateService(termination: Signing & { dataSetId: bigint }): Promise<Hex> {
  const message = { dataSetId: termination.dataSetId }
  const domain = eip712Domain(termination.domain)
  return wrapSignature(await termination.account.signTypedData({ domain, types, primaryType: 'TerminateService', message }))
}

function eip712Domain({ chainId, fwss }: SigningDomain) {
  return { name: 'FilecoinWarmStorageService', version: '1', chainId, verifyingContract: fwss } as const
}

function wrapSignature(signature: Hex): Hex {
  return encodeAbiParameters([{ type: 'bytes' }], [signature])
}

function keysOf(metadata: readonly MetadataEntry[]): string[] {
  return metadata.map((entry) => entry.key)
}

function valuesOf(metadata: readonly MetadataEntry[]): string[] {
  return metadata.map((entry) => entry.value)
}
