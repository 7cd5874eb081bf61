import { workerHealth } from '#kernel/system'
import { defineOverviewPart } from '#plugins/admin'
import { taskLedger } from '../ledger/ledger.ts'
import { summariseTasks } from './summarise-tasks-policy.ts'

export const taskOverviewParts = [
  defineOverviewPart({
    name: 'tasks',
    into: 'tasks',
    uses: { taskLedger },
    summarise: async ({ taskLedger }) => summariseTasks(await taskLedger.counts()),
  }),
  defineOverviewPart({
    name: 'workers',
    into: 'workers',
    uses: { workerHealth },
    summarise: ({ workerHealth }) => ({ tasks: workerHealth.isHealthy() }),
  }),
]
