// Writes and parses piece CIDs, version 2 (`bafkzcib…`), which contain the raw size.
import { varint } from 'multiformats'
import { base32 } from 'multiformats/bases/base32'
import { CID } from 'multiformats/cid'
import { create as createMultihash } from 'multiformats/hashes/digest'
import { nodeBytes } from './node-hasher.ts'
import type { PieceDigest } from './piece-hasher.ts'
import { isTreeShape, rawCapacity } from './piece-size.ts'

/** Codec `raw` and multihash `fr32-sha2-256-trunc254-padded-binary-tree` of the multicodec table. */
const codecRaw = 0x55
const multihashPiece = 0x1011

/** Longer text is refused without parsing: the longest piece CID has 76 characters. */
const textCharsMax = 128

export interface ParsedPieceCid extends PieceDigest {
  /** Size of the piece before padding, in bytes. */
  readonly rawSize: number
  /** Binary CID, the form in contract calls. */
  readonly bytes: Uint8Array
}

/** The text is not a piece CID of version 2 in its one canonical form. */
export class PieceCidError extends Error {
  override readonly name = 'PieceCidError'
  readonly code = 'piece_cid_invalid'
}

export function pieceCidOf(digest: PieceDigest): string {
  const paddingBytes = varint.encodingLength(digest.padding)
  const body = new Uint8Array(paddingBytes + 1 + nodeBytes)
  varint.encodeTo(digest.padding, body)
  body[paddingBytes] = digest.height
  body.set(digest.root, paddingBytes + 1)
  return CID.createV1(codecRaw, createMultihash(multihashPiece, body)).toString(base32)
}

/** @throws PieceCidError */
export function parsePieceCid(text: string): ParsedPieceCid {
  if (text.length > textCharsMax) throw invalid(text, `longer than ${textCharsMax} characters`)
  const cid = decodeCid(text)
  if (cid.code !== codecRaw || cid.multihash.code !== multihashPiece) {
    throw invalid(text, 'another kind of CID (a version 1 piece CID does not contain the size)')
  }
  const digest = readDigest(text, cid.multihash.digest)
  // Refuses varints and lengths in more bytes than needed: a piece has exactly one CID.
  if (pieceCidOf(digest) !== text) throw invalid(text, 'not in canonical form')
  return { ...digest, rawSize: rawCapacity(digest.height) - digest.padding, bytes: cid.bytes }
}

function decodeCid(text: string): CID {
  try {
    return CID.decode(base32.decode(text))
  } catch (cause) {
    throw invalid(text, 'not a base32 CID', cause)
  }
}

function readDigest(text: string, body: Uint8Array): PieceDigest {
  const [padding, paddingBytes] = readPadding(text, body)
  const height = body[paddingBytes]
  const root = body.subarray(paddingBytes + 1)
  if (height === undefined || root.length !== nodeBytes) throw invalid(text, 'its multihash has the wrong length')
  if (!isTreeShape(height, padding)) throw invalid(text, `no piece has height ${height} with padding ${padding}`)
  return { root, height, padding }
}

function readPadding(text: string, body: Uint8Array): [number, number] {
  try {
    return varint.decode(body)
  } catch (cause) {
    throw invalid(text, 'its padding is cut off', cause)
  }
}

function invalid(text: string, reason: string, cause?: unknown): PieceCidError {
  const shown = text.slice(0, textCharsMax)
  return new PieceCidError(`'${shown}' is not a piece CID: ${reason}; expected version 2 in base32, bafkzcib…`, { cause })
}
