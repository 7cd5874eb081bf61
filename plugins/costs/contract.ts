/** Services of this plugin, and its endpoint of estimates for commands of other plugins. */
import { defineService } from '#kernel'
import type { CostBook } from './book/cost-book.ts'

export type { CostEstimateAnswer } from './cost/cost-api.ts'

export const costBook = defineService<CostBook>('costs.book')

/** Imported late, because commands load this contract. */
export const estimateEndpoint = async () => (await import('./cost/cost-api.ts')).estimateCost
