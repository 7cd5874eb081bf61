/** Rejects impossible answers of the chain node: it may be faulty, outdated or hostile. */
import { ChainAnswerImplausible } from './chain-error.ts'

/** Filecoin's gas limit of a block. */
const gasMax = 10_000_000_000n
/** Gas of a transfer without data. */
const gasMin = 21_000n
/** Amount in base units; far above the total supply of FIL and USDFC. */
const amountMax = 2n ** 112n
/** Maximum number of this wallet's transactions in the pool. */
const pooledNoncesMax = 1000
const noncesMax = 2 ** 32
/** Finality of Filecoin in epochs. */
const finalityEpochs = 900n
/** Allowed difference between an epoch of the node and this machine's clock. */
const aheadMs = 24 * 3_600_000

/** Token and gas balances, in base units. @throws ChainAnswerImplausible */
export function requireAmount(value: bigint, what: string): bigint {
  if (value < 0n || value > amountMax) throw new ChainAnswerImplausible(`${value} base units as ${what}`)
  return value
}

/** @throws ChainAnswerImplausible */
export function requireGas(gas: bigint): bigint {
  if (gas < gasMin || gas > gasMax) throw new ChainAnswerImplausible(`an estimate of ${gas} gas`)
  return gas
}

/** @param mined nonce without pooled transactions @throws ChainAnswerImplausible */
export function requireNonce(next: number, mined: number): number {
  const isCount = [next, mined].every((nonce) => Number.isSafeInteger(nonce) && nonce >= 0 && nonce <= noncesMax)
  if (!isCount || next < mined || next - mined > pooledNoncesMax) {
    throw new ChainAnswerImplausible(`nonce ${next} as the next one after ${mined} mined transactions`)
  }
  return next
}

interface EpochFacts {
  readonly reported: bigint
  /** The highest that this client has accepted; undefined at first. */
  readonly highest: bigint | undefined
  /** Unix milliseconds at which the reported epoch begins, on a network with a real clock. */
  readonly startsAtMs: number | undefined
  readonly nowMs: number
}

/** @throws ChainAnswerImplausible */
export function requireEpoch({ reported, highest, startsAtMs, nowMs }: EpochFacts): bigint {
  if (reported < 0n) throw new ChainAnswerImplausible(`epoch ${reported}`)
  if (highest !== undefined && highest - reported > finalityEpochs) {
    throw new ChainAnswerImplausible(`epoch ${reported} after epoch ${highest}, which is further back than any reorganisation`)
  }
  if (startsAtMs !== undefined && startsAtMs - nowMs > aheadMs) {
    throw new ChainAnswerImplausible(`epoch ${reported}, more than a day ahead of this machine's clock`)
  }
  return reported
}
