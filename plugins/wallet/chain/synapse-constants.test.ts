import { calibration, mainnet } from '@filoz/synapse-core/chains'
import { expect, test } from 'vitest'
import { publicNetworks } from './synapse-constants.ts'

const chains = { calibration, mainnet }

test.each(['calibration', 'mainnet'] as const)('the fixed data of %s is that of synapse-core', (name) => {
  const { id, rpcUrls, genesisTimestamp, nativeCurrency, contracts } = chains[name]
  expect(publicNetworks[name]).toEqual({
    chainId: id,
    rpcUrl: rpcUrls.default.http[0],
    genesisTimestamp,
    nativeSymbol: nativeCurrency.symbol,
    contracts: {
      usdfc: contracts.usdfc.address,
      filecoinPay: contracts.filecoinPay.address,
      fwss: contracts.fwss.address,
      pdpVerifier: contracts.pdp.address,
      registry: contracts.serviceProviderRegistry.address,
      endorsements: contracts.endorsements.address,
      multicall3: contracts.multicall3.address,
    },
  })
})
