import type { Pipeline } from '../pipeline.ts'

/** With the database of the process: the fence of the run that waited refuses every write once that run has ended (I-06). */
export const storeWaker =
  ({ database, schedule, log }: Pick<Pipeline, 'database' | 'schedule' | 'log'>): Pipeline['wakeStore'] =>
  (contentId) =>
    void database
      .write((tx) => schedule.store(tx, contentId))
      .catch((error) => log.warn('a waiting store could not be woken; it wakes by itself', { content: contentId, error }))
