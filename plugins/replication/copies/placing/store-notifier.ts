import type { Pipeline } from '../../pipeline.ts'

/** Uses the unfenced database: the fence of the run that waited refuses every write after that run has ended (I-06). */
export const storeNotifier =
  ({ database, schedule, log }: Pick<Pipeline, 'database' | 'schedule' | 'log'>): Pipeline['notifyStore'] =>
  (contentId) =>
    void database
      .write((tx) => schedule.store(tx, contentId))
      .catch((error) => log.warn('a waiting store task could not be notified; it runs at its due time', { content: contentId, error }))
