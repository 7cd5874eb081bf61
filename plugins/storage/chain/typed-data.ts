/** What the payer signs for the storage service: EIP-712 messages and the `extraData` bytes that carry them. */
import { CID } from 'multiformats/cid'
import { type Address, bytesToBigInt, decodeAbiParameters, encodeAbiParameters, type Hex, hexToBytes, toHex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'

/** Where a signature is valid: one chain, one FWSS proxy. */
export interface SigningDomain {
  readonly chainId: number
  /** The FWSS proxy, which is also the record keeper of the data sets. */
  readonly fwss: Address
}

/** Order matters: it is signed. Keys at most 32 bytes, values at most 96. */
export interface MetadataEntry {
  readonly key: string
  readonly value: string
}

/** A piece as a call names it; at most 3 metadata entries. */
export interface SignedPiece {
  /** PieceCIDv2 in text form. */
  readonly pieceCid: string
  readonly metadata?: readonly MetadataEntry[] | undefined
}

interface Signing {
  readonly account: PrivateKeyAccount
  readonly domain: SigningDomain
}

export interface CreateDataSetMessage extends Signing {
  /** Single use per payer, one namespace with the nonces of additions. */
  readonly clientDataSetId: bigint
  /** The provider's payee of the registry, which may differ from its address. */
  readonly payee: Address
  /** At most 10 entries. */
  readonly metadata: readonly MetadataEntry[]
}

export interface AddPiecesMessage extends Signing {
  readonly clientDataSetId: bigint
  /** Single use per payer. */
  readonly nonce: bigint
  /** 1 to 40 pieces, in the order in which they receive their ids. */
  readonly pieces: readonly SignedPiece[]
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

const createParameters = [{ type: 'address' }, { type: 'uint256' }, { type: 'string[]' }, { type: 'string[]' }, { type: 'bytes' }] as const
const addParameters = [{ type: 'uint256' }, { type: 'string[][]' }, { type: 'string[][]' }, { type: 'bytes' }] as const

/** A fresh random value for `clientDataSetId` or `nonce`: 256 bits, never 0. Commit it before any request uses it (I-04). */
export function newNonce(): bigint {
  return bytesToBigInt(crypto.getRandomValues(new Uint8Array(32))) || 1n
}

/** `extraData` of a data set creation. */
export async function signCreateDataSet({ account, domain, clientDataSetId, payee, metadata }: CreateDataSetMessage): Promise<Hex> {
  const message = { clientDataSetId, payee, metadata }
  const signature = await account.signTypedData({ domain: eip712Domain(domain), types, primaryType: 'CreateDataSet', message })
  return encodeAbiParameters(createParameters, [account.address, clientDataSetId, keysOf(metadata), valuesOf(metadata), signature])
}

/** `extraData` of an addition; the same bytes serve the pull of these pieces and their later addition. */
export async function signAddPieces({ account, domain, clientDataSetId, nonce, pieces }: AddPiecesMessage): Promise<Hex> {
  const metadata = pieces.map((piece) => piece.metadata ?? [])
  const message = {
    clientDataSetId,
    nonce,
    pieceData: pieces.map((piece) => ({ data: pieceCidBytes(piece.pieceCid) })),
    pieceMetadata: metadata.map((entries, index) => ({ pieceIndex: BigInt(index), metadata: entries })),
  }
  const signature = await account.signTypedData({ domain: eip712Domain(domain), types, primaryType: 'AddPieces', message })
  return encodeAbiParameters(addParameters, [nonce, metadata.map(keysOf), metadata.map(valuesOf), signature])
}

/** How many pieces the `extraData` of an addition was signed for. */
export function countSignedPieces(extraData: Hex): number {
  return decodeAbiParameters(addParameters, extraData)[1].length
}

/** `extraData` of one transaction that creates a data set and adds its first pieces; both parts name the same clientDataSetId. */
export function joinCreateAndAdd(createExtraData: Hex, addExtraData: Hex): Hex {
  return encodeAbiParameters([{ type: 'bytes' }, { type: 'bytes' }], [createExtraData, addExtraData])
}

/** `extraData` of a removal. It has no nonce: sent twice, the second one reverts while the first is queued. */
export async function signScheduleRemovals(removal: Signing & { clientDataSetId: bigint; pieceIds: readonly bigint[] }): Promise<Hex> {
  const message = { clientDataSetId: removal.clientDataSetId, pieceIds: removal.pieceIds }
  const domain = eip712Domain(removal.domain)
  return wrapSignature(await removal.account.signTypedData({ domain, types, primaryType: 'SchedulePieceRemovals', message }))
}

/** `extraData` of a termination that the provider relays; it ends the service at once, for a fee. */
export async function signTerminateService(termination: Signing & { dataSetId: bigint }): Promise<Hex> {
  const message = { dataSetId: termination.dataSetId }
  const domain = eip712Domain(termination.domain)
  return wrapSignature(await termination.account.signTypedData({ domain, types, primaryType: 'TerminateService', message }))
}

/** The binary PieceCIDv2, as contracts take it. @throws Error when the text is not a CID */
export function pieceCidBytes(pieceCid: string): Hex {
  return toHex(CID.parse(pieceCid).bytes)
}

/** The reverse of `pieceCidBytes`. Bytes that are no CID stay hexadecimal, which equals no recorded piece CID. */
export function pieceCidText(bytes: Hex): string {
  try {
    return CID.decode(hexToBytes(bytes)).toString()
  } catch {
    // A node answered something else: the caller compares the text and finds it different.
    return bytes
  }
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
