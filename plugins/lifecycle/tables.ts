import { statementsOver, type TablesOf } from '#kernel'
import type { lifecycleClockEntity } from './runs/clock-entity.ts'
import type { lifecycleRunEntity } from './runs/run-entity.ts'

export const statement = statementsOver<TablesOf<typeof lifecycleClockEntity | typeof lifecycleRunEntity>>()
