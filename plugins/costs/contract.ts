/** Services of this plugin, its endpoint of estimates for commands of other plugins, and what others can save of the fees. */
import { defineExtensionPoint, defineService } from '#kernel'
import type { Resolved, Uses } from '#kernel/system'
import type { PriceList } from '#plugins/wallet'
import type { CostBook } from './book/cost-book.ts'

export type { CostEstimateAnswer } from './cost/cost-api.ts'

export const costBook = defineService<CostBook>('costs.book')

/** Imported late, because commands load this contract. */
export const estimateEndpoint = async () => (await import('./cost/cost-api.ts')).estimateCost

interface SavedQuestion {
  readonly bucketId: number
  readonly bucket: string
  readonly prices: PriceList
}

interface FeeSaving {
  /** The way in a word, such as `packing`. */
  readonly how: string
  /** Objects since the asked time that could have been stored so. */
  readonly objects: number
  /** What that would have cost less, in 10^-18 USDFC. */
  readonly saved: bigint
  /** The command that does it from now on. */
  readonly command: string
}

/** Knows how fees of a bucket are avoided. */
interface FeeSaver<U extends Uses = Uses> {
  readonly name: string
  readonly uses: U
  /** What could have been saved since this time; undefined: nothing, or it is done already. */
  find(services: Resolved<U>, question: SavedQuestion & { readonly sinceMs: number }): Promise<FeeSaving | undefined>
  /** What its living objects cost less than without it, in 10^-18 USDFC. */
  saved(services: Resolved<U>, question: SavedQuestion): Promise<bigint>
}

export const feeSavers = defineExtensionPoint<FeeSaver>('costs.fee-savers')

export const defineFeeSaver = <const U extends Uses>(saver: FeeSaver<U>): FeeSaver => saver
