/** Addresses and ABIs of synapse-core. No other file imports it. */
import { erc20WithPermit, filecoinPay, generated } from '@filoz/synapse-core/abis'

/** FilecoinPay is not upgradeable, so the ABI of any release fits every deployment. */
export const filecoinPayAbi = filecoinPay

/** ERC-20 with the EIP-2612 functions (`nonces`, `version`) for permits. */
export const usdfcAbi = erc20WithPermit

/** What synapse-core has only in `chains`, which also loads zod: 95 files for a few constants. A test compares them. */
const chainFacts = {
  calibration: {
    chainId: 314_159,
    rpcUrl: 'https://api.calibration.node.glif.io/rpc/v1',
    genesisTimestamp: 1_667_326_380,
    nativeSymbol: 'tFIL',
    usdfc: '0xb3042734b608a1B16e9e86B374A3f3e389B4cDf0',
  },
  mainnet: {
    chainId: 314,
    rpcUrl: 'https://api.node.glif.io/rpc/v1',
    genesisTimestamp: 1_598_306_400,
    nativeSymbol: 'FIL',
    usdfc: '0x80B98d3aa09ffff255c3ba4A241111Ff1262F045',
  },
} as const

const multicall3 = '0xcA11bde05977b3631167028862bE2a173976CA11'

/**
 * Fixed data of a public network. Without the address of the FWSS view contract: it changes with each FWSS release and is read from FWSS.
 */
function publicNetwork(name: keyof typeof chainFacts) {
  const { usdfc, ...facts } = chainFacts[name]
  return {
    ...facts,
    contracts: {
      usdfc,
      filecoinPay: generated.filecoinPayV1Address[facts.chainId],
      fwss: generated.filecoinWarmStorageServiceAddress[facts.chainId],
      pdpVerifier: generated.pdpVerifierAddress[facts.chainId],
      registry: generated.serviceProviderRegistryAddress[facts.chainId],
      endorsements: generated.providerIdSetAddress[facts.chainId],
      multicall3,
    },
  } as const
}

export const publicNetworks = { calibration: publicNetwork('calibration'), mainnet: publicNetwork('mainnet') } as const
