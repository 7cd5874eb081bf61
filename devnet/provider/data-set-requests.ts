// Validates the bodies of data set requests, with Curio's error texts.
import type { ArkErrors } from 'arktype'
import { type Address, getAddress, type Hex, isAddress, isHex, zeroAddress } from 'viem'
import { type } from '#kernel/schema'
import type { ProviderContext } from './context.ts'
import { requirePieceCid, toVersion1 } from './piece-names.ts'
import { refusal } from './refusal.ts'

export const PIECES_MAX = 40
export const REMOVALS_MAX = 35
const CREATE_EXTRA_DATA_BYTES_MAX = 4096

const pieceShape = type({ pieceCid: 'string', subPieces: type({ subPieceCid: 'string' }).array().atLeastLength(1) })
const createShape = type({ recordKeeper: 'string', extraData: 'string' })
const createAndAddShape = createShape.and({ pieces: pieceShape.array() })
const addShape = type({ pieces: pieceShape.array(), extraData: 'string' })
const removeShape = type({ extraData: 'string', 'pieceIds?': 'number.integer >= 0[]' })
const terminateShape = type({ extraData: 'string' })

interface CreateBody {
  readonly recordKeeper: Address
  readonly extraData: Hex
}

interface AddBody {
  readonly pieceCids: readonly string[]
  readonly extraData: Hex
}

export function readCreate(context: ProviderContext, json: unknown): CreateBody {
  const body = valid(createShape(json))
  const extraData = requireHex(body.extraData)
  requireCreateSize(extraData, 'CreateDataSet')
  return { recordKeeper: requireRecordKeeper(context, body.recordKeeper), extraData }
}

export function readCreateAndAdd(context: ProviderContext, json: unknown): CreateBody & AddBody {
  const body = valid(createAndAddShape(json))
  const recordKeeper = requireRecordKeeper(context, body.recordKeeper)
  const extraData = requireHex(body.extraData)
  return { recordKeeper, extraData, pieceCids: requirePieces(context, body.pieces, 'CreateDataSetAndAddPieces') }
}

export function readAdd(context: ProviderContext, json: unknown): AddBody {
  const body = valid(addShape(json))
  const extraData = requireHex(body.extraData)
  return { extraData, pieceCids: requirePieces(context, body.pieces, 'AddPieces') }
}

/** The pieces to remove are those of the body, or the one of the path when the body names none. */
export function readRemoval(json: unknown, pathPieceId: number): { readonly pieceIds: readonly number[]; readonly extraData: Hex } {
  const body = valid(removeShape(json))
  const pieceIds = body.pieceIds && body.pieceIds.length > 0 ? body.pieceIds : [pathPieceId]
  if (pieceIds.length > REMOVALS_MAX) {
    throw refusal(400, `piece count (${pieceIds.length}) exceeds the maximum allowed per delete call (${REMOVALS_MAX})`)
  }
  return { pieceIds, extraData: requireHex(body.extraData) }
}

export function readTermination(json: unknown): Hex {
  const extraData = requireHex(valid(terminateShape(json)).extraData)
  if (extraData === '0x') throw refusal(400, 'extraData is required for client-requested termination')
  return extraData
}

export function requireRecordKeeper({ chain }: ProviderContext, text: string): Address {
  if (!isAddress(text, { strict: false }) || text === zeroAddress) throw refusal(400, 'Invalid recordKeeper address')
  if (getAddress(text) !== getAddress(chain.contracts.warmStorage)) {
    throw refusal(403, 'recordKeeper address not allowed for public service')
  }
  return getAddress(text)
}

export function requireHex(text: string): Hex {
  const hex = text.startsWith('0x') ? text : `0x${text}`
  if (!isHex(hex) || hex.length % 2 !== 0) throw refusal(400, 'Invalid extraData format (must be hex encoded)')
  return hex
}

function requireCreateSize(extraData: Hex, call: string): void {
  const size = extraData.length / 2 - 1
  if (size > CREATE_EXTRA_DATA_BYTES_MAX) {
    throw refusal(400, `extraData size (${size}) exceeds the maximum allowed limit (${CREATE_EXTRA_DATA_BYTES_MAX}) for ${call}`)
  }
}

function requirePieces(context: ProviderContext, pieces: readonly (typeof pieceShape.infer)[], call: string): string[] {
  if (pieces.length === 0) throw refusal(400, 'At least one piece must be provided')
  if (pieces.length > PIECES_MAX) {
    throw refusal(400, `piece count (${pieces.length}) exceeds the maximum allowed per ${call} call (${PIECES_MAX})`)
  }
  const failed = 'Failed to process request: failed to validate subPieces'
  for (const { pieceCid, subPieces } of pieces) {
    requirePieceCid(pieceCid, failed)
    for (const { subPieceCid } of subPieces) {
      requirePieceCid(subPieceCid, failed)
      if (!context.pieces.find(subPieceCid)) {
        throw refusal(400, `${failed}: subPiece CID ${toVersion1(subPieceCid)} not found or does not belong to service public`)
      }
      // Pieces made of several sub-pieces are not simulated.
      if (subPieceCid !== pieceCid) throw refusal(400, `${failed}: provided PieceCid does not match generated PieceCid`)
    }
  }
  return pieces.map((piece) => piece.pieceCid)
}

function valid<Shape>(result: Shape | ArkErrors): Shape {
  if (result instanceof type.errors) throw refusal(400, `Invalid request body: ${result.summary.replaceAll('\n', '; ')}`)
  return result
}
