/** Compares our ABI fragments with the SDK's full ABIs, where both describe the same contract version. */
import { filecoinPay, pdp, providerIdSet, serviceProviderRegistry } from '@filoz/synapse-core/abis'
import { type Abi, type AbiFunction, toFunctionSelector, toFunctionSignature } from 'viem'
import { expect, test } from 'vitest'
import { fwssErrorsAbi, fwssViewAbi } from './fwss-abi.ts'
import { payErrorsAbi } from './pay-errors-abi.ts'
import { pdpAbi } from './pdp-abi.ts'
import { providerIdSetAbi, registryAbi } from './registry-abi.ts'

type AbiError = Extract<Abi[number], { type: 'error' }>
type Item = AbiFunction | AbiError
const isFunction = (item: { type: string }): item is AbiFunction => item.type === 'function'
const isError = (item: { type: string }): item is AbiError => item.type === 'error'
const shapeOf = (parameters: readonly { type: string; components?: unknown }[]): unknown =>
  parameters.map(({ type, components }) => [type, components === undefined ? [] : shapeOf(components as never)])
const described = (item: Item) => ({
  name: item.name,
  inputs: shapeOf(item.inputs),
  outputs: 'outputs' in item ? shapeOf(item.outputs) : [],
})

/** Functions of releases that the SDK does not know; those of the devnet are called in tests. */
const later: ReadonlySet<string> = new Set(['legacyPieceStorageIdLimit'])
const functionsOf = (abi: Abi) => abi.filter(isFunction).map(described)
const errorsOf = (abi: Abi) => abi.filter(isError).map(described)

test.each([
  ['registry', registryAbi, serviceProviderRegistry],
  ['endorsements', providerIdSetAbi, providerIdSet],
  ['PDPVerifier', pdpAbi, pdp],
] as const)('functions of %s have the same shape as in the SDK', (_name, ours, theirs) => {
  const known = functionsOf(theirs)
  for (const fn of functionsOf(ours)) if (!later.has(fn.name)) expect(known).toContainEqual(fn)
})

test('errors of FilecoinPay are the same as in the SDK', () => {
  const known = errorsOf(filecoinPay)
  for (const error of errorsOf(payErrorsAbi)) expect(known).toContainEqual(error)
})

test('the data set tuple has the 13 words of FWSS 1.3 and 1.4', () => {
  const getDataSet = fwssViewAbi.find((fn) => fn.name === 'getDataSet')
  expect(getDataSet?.outputs[0]?.components).toHaveLength(13)
})

test.each([
  ['ClientDataSetAlreadyRegistered', '0xdb94c961'],
  ['InvalidSignature', '0x42d750dc'],
  ['DataSetPaymentAlreadyTerminated', '0x211a40c0'],
  ['InsufficientLockupFunds', '0xdae03403'],
])('the selector of %s is %s', (name, selector) => {
  const error = fwssErrorsAbi.find((item) => item.name === name)
  if (error === undefined) throw new Error(name)
  const signature = toFunctionSignature({ ...error, type: 'function', outputs: [], stateMutability: 'view' })
  expect(toFunctionSelector(signature)).toBe(selector)
})
