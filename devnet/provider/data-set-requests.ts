// Validates the bodies of data set requests, with Curio's error texts.
import type { ArkErrors } from 'arktype'
import {
  type Address,
  type ContractFunctionArgs,
  encodeFunctionData,
  getAddress,
  type Hex,
  isAddress,
  isHex,
  size,
  zeroAddress,
} from 'viem'
import { type } from '#kernel/schema'
import { verifierAbi } from '../chain/abis.ts'
import type { ProviderContext } from './context.ts'
import { requirePieceCid, toVersion1 } from './piece-names.ts'
import { refusal } from './refusal.ts'

/** Limit of a message on Filecoin, without its signature and the header of its parameters. */
const ADDITION_BYTES_MAX = 64 * 1024 - 128 - 3
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
export function readRemoval(
  { settings }: ProviderContext,
  json: unknown,
  pathPieceId: number,
): { readonly pieceIds: readonly number[]; readonly extraData: Hex } {
  const body = valid(removeShape(json))
  const pieceIds = body.pieceIds && body.pieceIds.length > 0 ? body.pieceIds : [pathPieceId]
  requireCount(pieceIds.length, settings.piecesPerRemoval, 'DeletePiece call')
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

export function requireCount(count: number, max: number | null, call: string): void {
  if (max !== null && count > max) throw refusal(400, `piece count (${count}) exceeds the maximum allowed per ${call} (${max})`)
}

/** The call that adds the pieces. @throws Refusal 400 when no message has room for it */
export function encodeAddition(args: ContractFunctionArgs<typeof verifierAbi, 'payable', 'addPieces'>): Hex {
  const data = encodeFunctionData({ abi: verifierAbi, functionName: 'addPieces', args })
  if (size(data) <= ADDITION_BYTES_MAX) return data
  throw refusal(400, `addPieces packed size ${size(data)} bytes exceeds the Filecoin 65536-byte message limit (${args[2].length} pieces)`)
}

function requirePieces(context: ProviderContext, pieces: readonly (typeof pieceShape.infer)[], call: string): string[] {
  if (pieces.length === 0) throw refusal(400, 'At least one piece must be provided')
  requireCount(pieces.length, context.settings.piecesPerAddition, `${call} call`)
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
