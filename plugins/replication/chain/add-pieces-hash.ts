/** EIP-712 hash of an addition. viem encodes the types again for each piece: 4.3 ms for 40 pieces. This takes 0.4 ms. */
import { type Address, bytesToHex, type Hex, numberToBytes, stringToBytes } from 'viem'
import type { MetadataEntry } from '#plugins/providers'
import { type Keccak, loadKeccak } from './keccak.ts'

interface Domain {
  readonly name: string
  readonly version: string
  readonly chainId: number
  readonly verifyingContract: Address
}

interface AddPieces {
  readonly clientDataSetId: bigint
  readonly nonce: bigint
  /** Binary piece CIDs. */
  readonly pieces: readonly Uint8Array[]
  /** Metadata of the piece at the same position; empty: no piece has any, and the contract is told so by leaving the list out. */
  readonly metadata: readonly (readonly MetadataEntry[])[]
}

const word = (value: number | bigint): Uint8Array => numberToBytes(value, { size: 32 })

const domainType = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'
const cid = 'Cid(bytes data)'
const metadataEntry = 'MetadataEntry(string key,string value)'
const pieceMetadata = 'PieceMetadata(uint256 pieceIndex,MetadataEntry[] metadata)'
const addPieces = 'AddPieces(uint256 clientDataSetId,uint256 nonce,Cid[] pieceData,PieceMetadata[] pieceMetadata)'
const prefix = Uint8Array.of(0x19, 0x01)

type HashAddPieces = (domain: Domain, addition: AddPieces) => Hex

let making: Promise<HashAddPieces> | undefined

/** The hash that the payer signs. */
export async function hashAddPieces(domain: Domain, addition: AddPieces): Promise<Hex> {
  making ??= loadKeccak().then(makeHash)
  try {
    return (await making)(domain, addition)
  } catch (error) {
    // Loaded again by the next call, such as after a lack of memory.
    making = undefined
    throw error
  }
}

function makeHash(hash: Keccak): HashAddPieces {
  const hashText = (text: string) => hash(stringToBytes(text))
  /** Each type with the types that it uses, in alphabetical order. */
  const typeHashes = {
    domain: hashText(domainType),
    cid: hashText(cid),
    metadataEntry: hashText(metadataEntry),
    pieceMetadata: hashText(pieceMetadata + metadataEntry),
    addPieces: hashText(addPieces + cid + metadataEntry + pieceMetadata),
  }
  const hashDomain = ({ name, version, chainId, verifyingContract }: Domain) =>
    hash(typeHashes.domain, hashText(name), hashText(version), word(chainId), word(BigInt(verifyingContract)))
  const hashEntry = ({ key, value }: MetadataEntry) => hash(typeHashes.metadataEntry, hashText(key), hashText(value))
  const hashMetadata = (entries: readonly MetadataEntry[], index: number) =>
    hash(typeHashes.pieceMetadata, word(index), hash(...entries.map(hashEntry)))
  return (domain, { clientDataSetId, nonce, pieces, metadata }) => {
    const message = hash(
      typeHashes.addPieces,
      word(clientDataSetId),
      word(nonce),
      hash(...pieces.map((bytes) => hash(typeHashes.cid, hash(bytes)))),
      hash(...metadata.map(hashMetadata)),
    )
    return bytesToHex(hash(prefix, hashDomain(domain), message))
  }
}
