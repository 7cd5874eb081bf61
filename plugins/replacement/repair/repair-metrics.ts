import { clock, database, defineMetric } from '#kernel'
import { repairActions } from './repair-api.ts'
import { countDecisions, listSignals } from './repair-store.ts'
import { repairSignals } from './signal-policy.ts'

const dayMs = 86_400_000

/** Every label is shown, so that alerts see the first one. */
export const repairMetrics = [
  defineMetric({
    name: 'svc_storage_repair_faults',
    help: 'Current data sets with a fault that a lasting one would move elsewhere, by fault. Counted whether automatic repair is on or not.',
    type: 'gauge',
    labels: ['fault'],
    uses: { database },
    async collect({ database }) {
      const found = await listSignals(database.read)
      return repairSignals.map((fault) => ({ labels: { fault }, value: found.filter(({ signal }) => signal === fault).length }))
    },
  }),
  defineMetric({
    name: 'svc_storage_repairs',
    help: 'Decisions of the automatic repair in the last 24 hours, by decision. A loss is counted whether automatic repair is on or not.',
    type: 'gauge',
    labels: ['action'],
    uses: { clock, database },
    async collect({ clock, database }) {
      const counts = await countDecisions(database.read, clock.now() - dayMs)
      return repairActions.map((action) => ({ labels: { action }, value: counts.get(action) ?? 0 }))
    },
  }),
]
