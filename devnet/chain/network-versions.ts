// The releases of the live networks that a devnet can be: versions and prices of the contracts, limits of the providers.
import { parseEther } from 'viem'

const epochsPerDay = 2880n
const usdfc = (amount: string) => parseEther(amount)

/** Rates of CDN retrieval and its lockups are the same in both. */
const cdnRates = { cdnEgressPerTib: usdfc('7'), cacheMissEgressPerTib: usdfc('7') }
const cdnLockups = { cdnLockupAmount: usdfc('0.7'), cacheMissLockupAmount: usdfc('0.3'), cdnLockupPeriod: 5n * epochsPerDay }

/** Keys are the versions of FilecoinWarmStorageService. */
export const networkVersions = {
  '1.3': {
    warmStorage: '1.3.1',
    pdpVerifier: '3.4.0',
    acceptsOmittedMetadata: false,
    prices: {
      rates: { storagePerTibPerMonth: usdfc('2.5'), datasetFeePerMonth: usdfc('0.024'), ...cdnRates },
      fees: {
        createDataSetFee: usdfc('0.025'),
        addPiecesBaseFee: usdfc('0.0005'),
        addPiecesPerPieceFee: usdfc('0.0003'),
        schedulePieceRemovalsFee: usdfc('0.002'),
        terminateFee: usdfc('0.00112'),
      },
      lockups: { lifecycleReserveTarget: usdfc('0.1'), replenishThreshold: usdfc('0.005'), ...cdnLockups },
    },
    /** Limits of Curio until September 2026. */
    providers: { piecesPerAddition: 40, piecesPerRemoval: 35 },
  },
  '1.4': {
    warmStorage: '1.4.0',
    pdpVerifier: '3.5.0',
    acceptsOmittedMetadata: true,
    prices: {
      rates: { storagePerTibPerMonth: usdfc('2.5'), datasetFeePerMonth: usdfc('0.12'), ...cdnRates },
      fees: {
        createDataSetFee: usdfc('0.025'),
        addPiecesBaseFee: usdfc('0.008'),
        addPiecesPerPieceFee: usdfc('0.003'),
        schedulePieceRemovalsFee: usdfc('0.007'),
        terminateFee: usdfc('0.006'),
      },
      lockups: { lifecycleReserveTarget: usdfc('0.5'), replenishThreshold: usdfc('0.025'), ...cdnLockups },
    },
    providers: { piecesPerAddition: null, piecesPerRemoval: null },
  },
} as const

export type NetworkVersion = keyof typeof networkVersions

/** Version of a new devnet without a choice: that of the live networks, or of SVC_DEVNET_NETWORK. */
export const defaultNetwork = (): NetworkVersion => parseNetwork(process.env.SVC_DEVNET_NETWORK ?? '1.4')

/** @throws RangeError */
export function parseNetwork(text: string): NetworkVersion {
  if (text === '1.3' || text === '1.4') return text
  throw new RangeError(`network is ${text}; expected ${Object.keys(networkVersions).join(' or ')}`)
}
