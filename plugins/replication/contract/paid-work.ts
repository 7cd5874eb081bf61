/** What was paid for, and how far the spend limits are used. */
import { defineService, type Reader } from '#kernel'
import type { CallCounts, CallFees } from '#plugins/wallet'

/** Paid calls that were recorded with one price list. */
export interface PaidCalls extends CallCounts {
  /** Fingerprint of the prices; undefined when they could not be read. */
  readonly priceList: string | undefined
  /** False: its outcome is open. */
  readonly hasLanded: boolean
}

/** Counts of recorded calls, internal to this plugin. */
export interface PaidCallCounts {
  /** Counts the days that were closed since the last call. Before a transaction that asks `since`, so that it reads only recent calls. */
  closeDays(): Promise<void>
  /** Calls recorded since the beginning of a UTC day, also those of deleted buckets. */
  since(read: Reader, sinceMs: number): Promise<readonly PaidCalls[]>
}

export interface PaidFees extends CallFees {
  readonly total: bigint
  /** Calls whose prices are unknown, which are in no amount. */
  readonly callsWithoutPrice: number
}

/** How far one limit is used, in 10^-18 USDFC. */
export interface SpendUse {
  readonly period: 'daily' | 'monthly'
  /** Is undefined when it is off. */
  readonly limit: bigint | undefined
  /** Fees of calls recorded in the period, also of those that are undecided. */
  readonly fees: bigint
  /** What all storage costs in a day or month; undefined while the account cannot be read. */
  readonly storage: bigint | undefined
  readonly endsAtMs: number
}

/** A data set on chain, with its bucket. */
export interface PaidDataSet {
  readonly id: number
  readonly bucketId: number
  readonly bucketName: string
  /** The bucket was deleted. */
  readonly isDeleted: boolean
  readonly chainId: string
  readonly providerId: string
}

/** Pieces that calls added to the data sets of a bucket. */
export interface AddedPieces {
  readonly bucketId: number
  readonly bucketName: string
  readonly additions: number
  readonly pieces: number
}

export interface PaidWork {
  /** Fees of the calls that the chain has, since this service is in use: of one bucket, or of all, also deleted ones. */
  fees(bucketId?: number): Promise<PaidFees>
  /** Landed additions that were recorded since this time, of buckets that are not deleted. */
  addedSince(sinceMs: number): Promise<readonly AddedPieces[]>
  /** Day, then month. */
  limits(): Promise<readonly SpendUse[]>
  /** Why this work would wait for a spend limit, as a sentence; undefined: it would not. Amounts in 10^-18 USDFC. */
  whyLimited(planned: { readonly fees: bigint; readonly ratePerEpoch: bigint }): Promise<string | undefined>
  dataSets(read?: Reader): Promise<readonly PaidDataSet[]>
}

export const paidWork = defineService<PaidWork>('replication.paid-work')
