import { encodeFunctionData, type Hex, parseAbi, size, zeroAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { additionPiecesMax, readAdditionLimits } from './addition-limits.ts'
import { pieceCidBytes, signAddPieces } from './typed-data.ts'

const addPieces = parseAbi([
  'struct Cid { bytes data; }',
  'function addPieces(uint256 setId, address listener, Cid[] pieceData, bytes extraData) payable returns (uint256)',
])
const account = privateKeyToAccount(`0x${'42'.repeat(32)}`)
/** Of 1 MiB of zeros. Every CID of a piece is encoded in 64 bytes. */
const pieceCid = 'bafkzcibeqcad6egqwuynxmfu6jof2lzkfdp65aelknasuautd4mmjgpvujkaq2ytey'

function limits(contracts: { readonly fwss: string; readonly pdpVerifier: string }, dataSetId: bigint | null, compactFrom = 1559n) {
  const network = { contracts: { pdpVerifier: zeroAddress } }
  return readAdditionLimits({ network, contractVersions: async () => contracts, read: async () => compactFrom } as never, dataSetId)
}

async function callSize(count: number, omitsMetadata: boolean): Promise<number> {
  const pieces = Array.from({ length: count }, () => ({ pieceCid }))
  const domain = { chainId: 314, fwss: zeroAddress }
  const extraData: Hex = await signAddPieces({ account, domain, clientDataSetId: 1n, nonce: 1n, pieces, omitsMetadata })
  const pieceData = pieces.map(() => ({ data: pieceCidBytes(pieceCid) }))
  return size(encodeFunctionData({ abi: addPieces, functionName: 'addPieces', args: [1n, zeroAddress, pieceData, extraData] }))
}

const today = { fwss: '1.4.0', pdpVerifier: '3.5.0' }

test.each([
  ['today', today, 1559n, { piecesMax: 404, omitsMetadata: true }],
  ['a data set that is not created yet', today, null, { piecesMax: 404, omitsMetadata: true }],
  ['a data set from before the upgrade', today, 1558n, { piecesMax: 80, omitsMetadata: true }],
  ['PDPVerifier upgraded first', { ...today, fwss: '1.3.1' }, 1559n, { piecesMax: 224, omitsMetadata: false }],
  ['the storage service upgraded first', { ...today, pdpVerifier: '3.4.0' }, 1559n, { piecesMax: 40, omitsMetadata: true }],
  ['before the upgrades', { fwss: '1.3.1', pdpVerifier: '3.4.0' }, 1n, { piecesMax: 40, omitsMetadata: false }],
  ['later releases', { fwss: '1.10.0', pdpVerifier: '3.6.0' }, 1559n, { piecesMax: 404, omitsMetadata: true }],
] as const)('pieces of an addition: %s', async (_name, contracts, dataSetId, expected) => {
  expect(await limits(contracts, dataSetId)).toEqual(expected)
})

test('an upgrade that has not separated the layouts leaves all data sets in the old one', async () => {
  expect(await limits(today, 5000n, 0n)).toMatchObject({ piecesMax: 80 })
})

test('the largest additions fit into a message, and one piece more does not', async () => {
  const sizes = [await callSize(additionPiecesMax, true), await callSize(additionPiecesMax + 1, true)]
  expect(sizes).toEqual([516 + 404 * 160, 516 + 405 * 160])
  expect(sizes.map((bytes) => bytes <= 65_248)).toEqual([true, false])
  expect([await callSize(224, false), await callSize(225, false)].map((bytes) => bytes <= 65_248)).toEqual([true, false])
})
