import { CID } from 'multiformats/cid'
import { encodeFunctionData, type Hex, parseAbi, size, toHex, zeroAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { additionPiecesMax } from '#plugins/providers'
import { signAddPieces } from './typed-data.ts'

const addPieces = parseAbi([
  'struct Cid { bytes data; }',
  'function addPieces(uint256 setId, address listener, Cid[] pieceData, bytes extraData) payable returns (uint256)',
])
const account = privateKeyToAccount(`0x${'42'.repeat(32)}`)
/** CID of 1 MiB of zeros. Every CID of a piece is encoded in 64 bytes. */
const pieceCid = 'bafkzcibeqcad6egqwuynxmfu6jof2lzkfdp65aelknasuautd4mmjgpvujkaq2ytey'

async function callSize(count: number, omitsMetadata: boolean): Promise<number> {
  const pieces = Array.from({ length: count }, () => ({ pieceCid }))
  const domain = { chainId: 314, fwss: zeroAddress }
  const extraData: Hex = await signAddPieces({ account, domain, clientDataSetId: 1n, nonce: 1n, pieces, omitsMetadata })
  const pieceData = pieces.map(() => ({ data: toHex(CID.parse(pieceCid).bytes) }))
  return size(encodeFunctionData({ abi: addPieces, functionName: 'addPieces', args: [1n, zeroAddress, pieceData, extraData] }))
}

test('the largest additions fit into a message, and one piece more does not', async () => {
  const sizes = [await callSize(additionPiecesMax, true), await callSize(additionPiecesMax + 1, true)]
  expect(sizes).toEqual([516 + 404 * 160, 516 + 405 * 160])
  expect(sizes.map((bytes) => bytes <= 65_248)).toEqual([true, false])
  expect([await callSize(224, false), await callSize(225, false)].map((bytes) => bytes <= 65_248)).toEqual([true, false])
})
