/** Golden tests: our signed bytes equal those of the network's SDK. */
import { calibration } from '@filoz/synapse-core/chains'
import * as Sdk from '@filoz/synapse-core/typed-data'
import { CID } from 'multiformats/cid'
import { createWalletClient, decodeAbiParameters, http, recoverTypedDataAddress, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { countMetadataLists, signAddPieces, signCreateDataSet, signScheduleRemovals, signTerminateService } from './typed-data.ts'

const account = privateKeyToAccount(`0x${'42'.repeat(32)}`)
const domain = { chainId: calibration.id, fwss: calibration.contracts.fwss.address }
const sdk = createWalletClient({ account, chain: calibration, transport: http('http://127.0.0.1:1') })
const payee = '0x00000000000000000000000000000000000000aa'
const zeros127 = 'bafkzcibcaabdomn3tgwgrh3g532zopskstnbrd2n3sxfqbze7rxt7vqn7veigmy'
const zeros1MiB = 'bafkzcibeqcad6egqwuynxmfu6jof2lzkfdp65aelknasuautd4mmjgpvujkaq2ytey'
const clientDataSetId = 2n ** 255n + 7n
const nonce = 123_456_789_012_345_678_901_234_567_890n
const bucket = [
  { key: 'bucket', value: 'photos' },
  { key: 'source', value: 'svc' },
]
// The SDK takes a CID object, our interface its text.
const sdkPiece = (text: string) => ({ pieceCid: CID.parse(text) as never })

test.each([{ metadata: [] }, { metadata: bucket }])(
  'a creation with $metadata.length metadata entries is signed as by the SDK',
  async ({ metadata }) => {
    const ours = await signCreateDataSet({ account, domain, clientDataSetId, payee, metadata })
    expect(ours).toBe(await Sdk.signCreateDataSet(sdk, { clientDataSetId, payee, metadata }))
  },
)

test('an addition is signed as by the SDK, with and without metadata', async () => {
  const ours = await signAddPieces({
    account,
    domain,
    clientDataSetId,
    nonce,
    pieces: [{ pieceCid: zeros127, metadata: bucket }, { pieceCid: zeros1MiB }],
  })
  const pieces = [{ ...sdkPiece(zeros127), metadata: bucket }, sdkPiece(zeros1MiB)]
  expect(ours).toBe(await Sdk.signAddPieces(sdk, { clientDataSetId, nonce, pieces }))
})

const addition = [{ type: 'uint256' }, { type: 'string[][]' }, { type: 'string[][]' }, { type: 'bytes' }] as const

test('metadata that no piece has is left out of the bytes and of what is signed', async () => {
  const pieces = [zeros127, zeros1MiB].map((pieceCid) => ({ pieceCid }))
  const extraData = await signAddPieces({ account, domain, clientDataSetId, nonce, pieces, omitsMetadata: true })
  const [signedNonce, keys, values, signature] = decodeAbiParameters(addition, extraData)
  expect([signedNonce, keys, values]).toEqual([nonce, [], []])
  const pieceData = pieces.map(({ pieceCid }) => ({ data: toHex(CID.parse(pieceCid).bytes) }))
  const signer = await recoverTypedDataAddress({
    domain: { name: 'FilecoinWarmStorageService', version: '1', chainId: domain.chainId, verifyingContract: domain.fwss },
    types: Sdk.EIP712Types,
    primaryType: 'AddPieces',
    message: { clientDataSetId, nonce, pieceData, pieceMetadata: [] },
    signature,
  })
  expect(signer).toBe(account.address)
})

test('metadata of one piece is signed with the lists of all', async () => {
  const pieces = [{ pieceCid: zeros127, metadata: bucket }, { pieceCid: zeros1MiB }]
  const terms = { account, domain, clientDataSetId, nonce, pieces }
  expect(await signAddPieces({ ...terms, omitsMetadata: true })).toBe(await signAddPieces(terms))
})

test('a removal is signed as by the SDK', async () => {
  const ours = await signScheduleRemovals({ account, domain, clientDataSetId, pieceIds: [0n, 7n] })
  expect(ours).toBe(await Sdk.signSchedulePieceRemovals(sdk, { clientDataSetId, pieceIds: [0n, 7n] }))
})

test('a termination is signed over TerminateService(uint256 dataSetId)', async () => {
  const extraData = await signTerminateService({ account, domain, dataSetId: 9n })
  const [signature] = decodeAbiParameters([{ type: 'bytes' }], extraData)
  const signer = await recoverTypedDataAddress({
    domain: { name: 'FilecoinWarmStorageService', version: '1', chainId: domain.chainId, verifyingContract: domain.fwss },
    types: { TerminateService: [{ name: 'dataSetId', type: 'uint256' }] },
    primaryType: 'TerminateService',
    message: { dataSetId: 9n },
    signature,
  })
  expect(signer).toBe(account.address)
})

test('an addition of 40 pieces, with metadata of some, is signed as by the SDK', async () => {
  const pieces = Array.from({ length: 40 }, (_, i) => ({
    pieceCid: i % 2 === 0 ? zeros127 : zeros1MiB,
    ...(i % 7 === 0 && { metadata: bucket.slice(0, (i % 3) + 1) }),
  }))
  const ours = await signAddPieces({ account, domain, clientDataSetId, nonce, pieces })
  const sdkPieces = pieces.map(({ pieceCid, metadata }) => ({ ...sdkPiece(pieceCid), ...(metadata && { metadata }) }))
  expect(ours).toBe(await Sdk.signAddPieces(sdk, { clientDataSetId, nonce, pieces: sdkPieces }))
})

test('each addition without metadata has its own nonce, signature and number of pieces', async () => {
  for (const [nonce, count] of [
    [1n, 40],
    [2n ** 256n - 1n, 40],
    [2n, 3],
  ] as const) {
    const pieces = Array.from({ length: count }, () => ({ pieceCid: zeros127 }))
    const ours = await signAddPieces({ account, domain, clientDataSetId, nonce, pieces })
    expect(ours).toBe(await Sdk.signAddPieces(sdk, { clientDataSetId, nonce, pieces: pieces.map(({ pieceCid }) => sdkPiece(pieceCid)) }))
    expect(countMetadataLists(ours)).toBe(count)
  }
})

test('additions that are signed at the same time do not mix their hashes', async () => {
  const nonces = [1n, 2n, 3n]
  const sign = (nonce: bigint) => signAddPieces({ account, domain, clientDataSetId, nonce, pieces: [{ pieceCid: zeros1MiB }] })
  const together = await Promise.all(nonces.map(sign))
  for (const [index, nonce] of nonces.entries()) expect(together[index]).toBe(await sign(nonce))
  expect(new Set(together).size).toBe(nonces.length)
})
