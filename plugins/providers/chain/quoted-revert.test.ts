import { encodeErrorResult, type Hex } from 'viem'
import { expect, test } from 'vitest'
import { fwssErrorsAbi } from './fwss-abi.ts'
import { payErrorsAbi } from './pay-errors-abi.ts'
import { pdpErrorsAbi } from './pdp-abi.ts'
import { findRevert, provesLanding } from './quoted-revert.ts'

const node = (data: string) =>
  `Failed to send transaction: failed to estimate gas: message execution failed (exit=[33], revert reason=[${data}], vm error=[${data}])\n`
const usedNonce = encodeErrorResult({ abi: fwssErrorsAbi, errorName: 'ClientDataSetAlreadyRegistered', args: [77n] })
const textRevert: Hex = encodeErrorResult({
  abi: [{ type: 'error', name: 'Error', inputs: [{ name: 'message', type: 'string' }] }],
  errorName: 'Error',
  args: ['Piece ID already scheduled for removal'],
})

test.each([
  [usedNonce, { contract: 'fwss', errorName: 'ClientDataSetAlreadyRegistered', args: [77n] }],
  [
    encodeErrorResult({ abi: payErrorsAbi, errorName: 'OperatorLockupAllowanceExceeded', args: [1n, 2n] }),
    { contract: 'pay', errorName: 'OperatorLockupAllowanceExceeded', args: [1n, 2n] },
  ],
  [encodeErrorResult({ abi: pdpErrorsAbi, errorName: 'DataSetNotLive' }), { contract: 'pdp', errorName: 'DataSetNotLive', args: [] }],
  [textRevert, { contract: 'unknown', errorName: 'Error', args: ['Piece ID already scheduled for removal'] }],
  ['0xdeadbeef', { contract: 'unknown', errorName: undefined, selector: '0xdeadbeef', args: [] }],
  [
    'Error(Can only schedule removal of live pieces)',
    { contract: 'unknown', errorName: 'Error', args: ['Can only schedule removal of live pieces'] },
  ],
])('a revert quoted as %s is decoded', (quoted, expected) => {
  expect(findRevert(node(quoted))).toMatchObject(expected)
})

test.each([
  '',
  'Internal server error [eid: 1]',
  'ClientDataSetAlreadyRegistered',
  'revert reason=[]',
  'revert reason=[0x]',
  'revert reason=[none]',
])('no revert is found in %j', (text) => {
  expect(findRevert(text)).toBeUndefined()
})

test('revert data is preferred to a revert text', () => {
  expect(findRevert(`revert reason=[Error(later)], vm error=[${usedNonce}]`)).toMatchObject({ contract: 'fwss' })
})

test('unterminated quotes do not hide a revert before them, and text beyond 16 KiB is not searched', () => {
  const hostile = 'vm error=[a=['.repeat(20_000)
  expect(findRevert(`${node(usedNonce)}${hostile}`)).toMatchObject({ errorName: 'ClientDataSetAlreadyRegistered' })
  expect(findRevert(hostile)).toBeUndefined()
  expect(findRevert(`${' '.repeat(16 * 1024)}${node(usedNonce)}`)).toBeUndefined()
})

test('only a used nonce proves that the same signed bytes landed before', () => {
  const proofs = [usedNonce, textRevert, '0xdeadbeef'].map((data) => {
    const revert = findRevert(node(data))
    return revert !== undefined && provesLanding(revert)
  })
  expect(proofs).toEqual([true, false, false])
})
