import type { TaskChange } from '#kernel/system'
import { type RunningEngine, startEngine, type TestTasks } from '#kernel/testing'
import { createLedger } from '../ledger/create-ledger.ts'
import type { TaskLedger } from '../ledger/ledger.ts'

export interface LedgerOnEngine extends RunningEngine {
  readonly ledger: TaskLedger
}

/** A ledger over a running engine. `onDismissed` is called for dismissals. */
export async function startLedger(
  tasks: TestTasks,
  work: Parameters<typeof startEngine>[1],
  onDismissed: (task: TaskChange) => void = () => {},
): Promise<LedgerOnEngine> {
  const svc = await startEngine(tasks, work)
  return { ...svc, ledger: createLedger({ ...tasks, control: svc.engine.control, onDismissed }) }
}
