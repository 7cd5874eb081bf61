import { statementsOver, type TablesOf } from '#kernel'
import type { costRailEntity } from './book/rail-entity.ts'
import type { costReadEntity } from './book/read-entity.ts'
import type { costMonthEntity } from './receipts/month-entity.ts'
import type { costPaymentEntity } from './receipts/payment-entity.ts'
import type { costSumEntity } from './receipts/sum-entity.ts'

export const statement =
  statementsOver<
    TablesOf<typeof costReadEntity | typeof costRailEntity | typeof costPaymentEntity | typeof costMonthEntity | typeof costSumEntity>
  >()
