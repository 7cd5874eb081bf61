import { type AbiFunction, toEventSelector, toFunctionSelector, toFunctionSignature } from 'viem'
import { expect, test } from 'vitest'
import { endorsementsAbi, payAbi, registryAbi, tokenAbi, verifierAbi, warmStorageAbi } from '../chain/abis.ts'
import { type ContractName, readArtifacts } from '../chain/artifacts.ts'
import { hashSources } from './source-hash.ts'

const artifacts = readArtifacts()

function selectorsOf(name: ContractName): string[] {
  return artifacts.contracts[name].abi.map((item) => {
    if (item.type === 'function') return toFunctionSelector(item)
    if (item.type === 'event') return toEventSelector(item)
    // An error's selector is that of a function of its name and inputs.
    return item.type === 'error' ? toFunctionSelector({ ...item, type: 'function', outputs: [], stateMutability: 'view' }) : ''
  })
}

test('the committed artifacts were compiled from the committed sources', () => {
  expect(artifacts.sourceHash, 'run: node devnet/contracts/compile.ts').toBe(hashSources(artifacts.compilerVersion))
})

test.each([
  ['UsdfcToken', tokenAbi],
  ['FilecoinPay', payAbi],
  ['ServiceProviderRegistry', registryAbi],
  ['Endorsements', endorsementsAbi],
  ['PdpVerifier', verifierAbi],
  ['WarmStorage', warmStorageAbi],
] as const)('%s has every function that the devnet calls', (name, abi) => {
  const selectors = selectorsOf(name)
  for (const item of abi) expect(selectors, item.name).toContain(item.type === 'event' ? toEventSelector(item) : toFunctionSelector(item))
})

test('errors that clients recognise have the selectors of the live contracts', () => {
  expect(selectorsOf('WarmStorage')).toEqual(expect.arrayContaining(['0x42d750dc', '0xdb94c961', '0x211a40c0', '0xdae03403']))
  expect(selectorsOf('PdpVerifier')).toContain('0x5d946944')
})

test('getDataSet returns 13 words, as since version 1.3 of the service', () => {
  const getDataSet = artifacts.contracts.WarmStorage.abi.find(
    (item): item is AbiFunction => item.type === 'function' && item.name === 'getDataSet',
  )
  const [output] = getDataSet?.outputs ?? []
  expect(output && 'components' in output ? output.components : []).toHaveLength(13)
  expect(getDataSet && toFunctionSignature(getDataSet)).toBe('getDataSet(uint256)')
})
