import type { ContributedItem } from '../../core/contributions.ts'
import type { Log } from '../../log/log.ts'
import type { TaskRecovery } from '../task.ts'

/** Runs each recovery once, in sequence. The first failure aborts the start and names the recovery. */
export async function runRecoveries(recoveries: readonly ContributedItem<TaskRecovery>[], log: Log): Promise<void> {
  for (const { item, services, pluginId } of recoveries) {
    try {
      await item.run(services)
    } catch (cause) {
      throw new Error(`the recovery '${item.name}' of plugin '${pluginId}' failed`, { cause })
    }
    log.debug('recovered', { recovery: item.name })
  }
}
