/** Addresses and ABIs of synapse-core. No other file imports it. */
import { erc20WithPermit, filecoinPay } from '@filoz/synapse-core/abis'
import { type Chain, calibration, mainnet } from '@filoz/synapse-core/chains'

/** FilecoinPay is not upgradeable, so the ABI of any release fits every deployment. */
export const filecoinPayAbi = filecoinPay

/** ERC-20 with the EIP-2612 functions (`nonces`, `version`) for permits. */
export const usdfcAbi = erc20WithPermit

/**
 * Fixed data of a public network. Without the address of the FWSS view contract: it changes with each FWSS release and is read from FWSS.
 */
function publicNetwork(chain: Chain) {
  return {
    chainId: chain.id,
    rpcUrl: chain.rpcUrls.default.http[0] ?? '',
    genesisTimestamp: chain.genesisTimestamp,
    nativeSymbol: chain.nativeCurrency.symbol,
    contracts: {
      usdfc: chain.contracts.usdfc.address,
      filecoinPay: chain.contracts.filecoinPay.address,
      fwss: chain.contracts.fwss.address,
      pdpVerifier: chain.contracts.pdp.address,
      registry: chain.contracts.serviceProviderRegistry.address,
      endorsements: chain.contracts.endorsements.address,
      multicall3: chain.contracts.multicall3.address,
    },
  }
}

export const publicNetworks = { calibration: publicNetwork(calibration), mainnet: publicNetwork(mainnet) } as const
