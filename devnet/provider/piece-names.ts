// Converts piece CIDs: version 2 in the API, version 1 in some answers, bytes on chain.
import { base32 } from 'multiformats/bases/base32'
import { CID } from 'multiformats/cid'
import { create as createMultihash } from 'multiformats/hashes/digest'
import { type Hex, hexToBytes, toHex } from 'viem'
import { type PieceName, readPieceCid } from './piece-commitment.ts'
import { refusal } from './refusal.ts'

/** Codec `fil-commitment-unsealed` and multihash `sha2-256-trunc254-padded`. */
const CODEC_V1 = 0xf101
const MULTIHASH_V1 = 0x1012

export const PIECE_BYTES_MIN = 127
export const PIECE_BYTES_MAX = 1_065_353_216

/** @throws Refusal 400 with `prefix` when the text is not a version 2 piece CID */
export function requirePieceCid(text: unknown, prefix: string): PieceName {
  if (typeof text !== 'string') throw refusal(400, `${prefix}: piece CID is required`)
  const name = readPieceCid(text)
  if (!name) throw refusal(400, `${prefix}: '${text}' is not a piece CID of version 2 in base32`)
  return name
}

/** Encodes for the verifier. */
export const chainCid = (pieceCid: string): { readonly data: Hex } => ({ data: toHex(requirePieceCid(pieceCid, 'piece').bytes) })

/** Converts the bytes that the verifier returns; undefined for a removed piece. */
export function pieceCidFromChain(data: Hex): string | undefined {
  if (data === '0x') return undefined
  return CID.decode(hexToBytes(data)).toString(base32)
}

/** Version 1 contains the root but not the size. */
export function toVersion1(pieceCid: string): string {
  return CID.createV1(CODEC_V1, createMultihash(MULTIHASH_V1, requirePieceCid(pieceCid, 'piece').root)).toString(base32)
}

/** The root in hex, of either version; undefined for any other text. */
export function rootOf(text: string): string | undefined {
  try {
    const cid = CID.parse(text)
    if (cid.code === CODEC_V1) return Buffer.from(cid.multihash.digest).toString('hex')
    const name = readPieceCid(text)
    return name && Buffer.from(name.root).toString('hex')
  } catch {
    // Any parse error means that the text is not a piece CID.
    return undefined
  }
}
