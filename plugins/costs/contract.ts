/** Services of this plugin. */
import { defineService } from '#kernel'
import type { CostBook } from './book/cost-book.ts'

export const costBook = defineService<CostBook>('costs.book')
